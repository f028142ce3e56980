public import TrendyModels

/// What a device asks of a hub to tell its companions, and to be told as one.
public protocol CompanionClientProtocol: Sendable {
  /// Those in which this device tells, or is told; ended ones too.
  func companions() async throws -> [APICompanion]

  /// Makes a device this one's companion. One that it is already stays so.
  func makeCompanion(deviceId: String) async throws -> APICompanion

  /// Hands notices over, at most 500. They may be handed over again; the hub takes none after a gap.
  func send(_ request: CompanionNoticesRequest, toCompanion id: String) async throws -> APICompanion

  /// What is there after a sequence, at most `limit` notices. All up to it must be this device's for good: the hub forgets it.
  func notices(ofCompanion id: String, after sequence: Int64, limit: Int) async throws -> CompanionNoticesResponse
}
