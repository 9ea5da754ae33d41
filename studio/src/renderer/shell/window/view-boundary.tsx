import { Component, type ReactNode } from 'react';

interface BoundaryProps {
  readonly children: ReactNode;
}

/** Keeps a view that fails from taking the window, and the text that is not saved, with it. */
export class ViewBoundary extends Component<BoundaryProps, { readonly message: string | undefined }> {
  override state = { message: undefined };

  static getDerivedStateFromError(error: unknown): { readonly message: string } {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { message } = this.state;
    if (message === undefined) return this.props.children;
    return (
      <div className="empty" role="alert">
        <p>This view failed: {message}</p>
        <div className="acts">
          <button type="button" className="button" onClick={() => this.setState({ message: undefined })}>
            Show it again
          </button>
        </div>
      </div>
    );
  }
}
