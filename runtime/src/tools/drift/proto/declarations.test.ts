import { expect, test } from 'vitest';
import { declarationsIn } from './declarations.ts';

const text = `syntax = "proto3"; // message Not { string no = 1; }
package a.b;
import "x.proto"; /* enum Not { NO = 0; } */
option (o) = { message: "Not { string no = 1; }" inner { no: 1 } };
service S {
  option deprecated = true;
  rpc One (M) returns (stream M) { option (google.api.http) = { get: "/v1/{name}" }; }
  rpc Two (.a.b.M) returns (M);
}
message M {
  reserved 5, 6 to 8; reserved "no";
  option (o) = "}";
  string message = 1 [deprecated = true, (o) = { no: "}" }];
  map<string, M> enum = 2;
  repeated .a.b.M.Inner
    service = 3;
  oneof one { M rpc = 4; string other = 9; }
  message Inner { enum E { option allow_alias = true; reserved 2; A = 0; B = 0x1 [(o) = "{"]; } E e = 1; }
  optional group Result = 10 { string url = 1; }
  extensions 100 to max;
}
extend M { string far = 100; }
`;

test('each declaration has its place, whatever strings, comments and options have inside', () => {
  const { found, mostMembers } = declarationsIn(text, 'a.proto');
  expect(mostMembers).toBe(9);
  expect([...found.keys()]).toEqual([
    ...['a.b.S', 'a.b.S.One', 'a.b.S.Two', 'a.b.M', 'a.b.M.message', 'a.b.M.enum', 'a.b.M.service'],
    ...['a.b.M.one', 'a.b.M.rpc', 'a.b.M.other', 'a.b.M.Inner', 'a.b.M.Inner.E', 'a.b.M.Inner.E.A', 'a.b.M.Inner.E.B'],
    ...['a.b.M.Inner.e', 'a.b.M.Result', 'a.b.M.result', 'a.b.M.Result.url'],
  ]);
  for (const [name, { file, range }] of found) {
    expect(file).toBe('a.proto');
    const last = name.slice(name.lastIndexOf('.') + 1);
    expect(text.slice(range.start, range.end)).toBe(last === 'result' ? 'Result' : last);
  }
});

test('names without a package, and a text that ends too early', () => {
  expect([...declarationsIn('message A { string b = 1; } message C { "', 'a').found.keys()]).toEqual(['A', 'A.b', 'C']);
});
