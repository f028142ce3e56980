public import TrendyModels

/// Hub requests that link companion devices and exchange trip notices between them.
public protocol CompanionClientProtocol: Sendable {
  /// Returns the links in which this device sends or receives notices, including links that have ended.
  func companions() async throws -> [APICompanion]

  /// Links another device as a companion of this one and returns the link. Repeating the call has no effect.
  func makeCompanion(deviceId: String) async throws -> APICompanion

  /// Sends up to 500 notices and returns the updated link. Notices may be sent repeatedly. The hub stores no notice
  /// that follows a gap in the sequence numbers.
  func send(_ request: CompanionNoticesRequest, toCompanion id: String) async throws -> APICompanion

  /// Returns up to `limit` notices with a sequence number above `sequence`.
  ///
  /// The request also acknowledges: the hub deletes all notices up to `sequence`, so the caller must have stored them
  /// durably.
  func notices(ofCompanion id: String, after sequence: Int64, limit: Int) async throws -> CompanionNoticesResponse
}
