/** A proto file as users write them, with imports of both kinds. */
export const shopProto = `
syntax = "proto3";
package shop.v1;
import "google/protobuf/timestamp.proto";
import "google/protobuf/any.proto";
import "google/api/annotations.proto";
// The orders; of a shop.
service Orders {
  option deprecated = false;
  rpc Get (GetRequest) returns (Order) { option (google.api.http) = { get: "/v1/{id}" additional_bindings { get: "/" } }; }
  rpc Watch (GetRequest) returns (stream Order);
}
message GetRequest { string id = 1; optional int32 depth = 2; }
message Order {
  enum State { UNKNOWN = 0; PAID = 1; }
  message Line { string sku = 1; int64 cents = 2; }
  string id = 1;
  State state = 2;
  repeated Line lines = 3;
  map<string, Line> by_sku = 4 [deprecated = true];
  oneof payment { string card = 5; bytes token = 6; }
  google.protobuf.Timestamp at = 7;
  repeated int32 numbers = 8;
  Order parent = 9;
  google.protobuf.Any extra = 10;
  repeated string notes = 11;
  reserved 20 to 30, 40; reserved "old";
}
`;
