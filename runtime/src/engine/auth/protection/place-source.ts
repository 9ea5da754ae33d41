/** What a source knows of an address. */
export interface FoundPlace {
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
  /** Kilometres. */
  readonly accuracy?: number | undefined;
  readonly city?: string | undefined;
  readonly country?: string | undefined;
}

/** Where places are looked up. */
export interface PlaceSource {
  /** Rejects when it can never answer. */
  open(): Promise<void>;
  /** Rejects when it does not answer now. */
  find(ip: string): Promise<FoundPlace>;
}
