public import TrendyModels

/// Hub requests for linking companion devices and exchanging trip notices with them.
public protocol CompanionClientProtocol: Sendable {
  /// Returns the links through which this device sends or receives notices, including ended links.
  func companions() async throws -> [APICompanion]

  /// Links another device as a companion of this device and returns the link. Repeating the call has no effect.
  func makeCompanion(deviceId: String) async throws -> APICompanion

  /// Sends up to 500 notices and returns the updated link. Notices can be sent repeatedly. The hub stores no notices
  /// after a gap in the sequence numbers.
  func send(_ request: CompanionNoticesRequest, toCompanion id: String) async throws -> APICompanion

  /// Returns up to `limit` notices with a sequence number above `sequence`.
  ///
  /// The request acknowledges all notices up to `sequence`, and the hub then deletes them. The caller must have stored
  /// them durably.
  func notices(ofCompanion id: String, after sequence: Int64, limit: Int) async throws -> CompanionNoticesResponse
}
