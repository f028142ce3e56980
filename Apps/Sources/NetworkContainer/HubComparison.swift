public import TrendyAgent
import AppContainer
public import CommandSupport
public import TrendyModels
import TrendyNetworking
import TrendySync

/// Comparison of a store with its hub at the same version.
public struct HubComparison: Sendable {
  /// Entities of one kind in the store and on the hub.
  public struct Kind: Sendable {
    public let name: String
    /// Number and checksum of the entities in the store's replica.
    public let here: KindSum
    /// Number and checksum of the entities on the hub.
    public let atHub: KindSum
    /// Number of rows in the store that are visible to the user.
    public let visible: Int
    /// Whether the replica and the hub contain the same entities.
    public var agrees: Bool { here == atHub }
  }

  /// Version of the hub at which the entities were compared.
  public let version: Int64
  /// Comparison of each kind of entity that this version of the software knows.
  public let kinds: [Kind]
  /// Number of undeleted replica entities without a visible row in the store.
  public let missing: Int
  /// Number of visible rows that come neither from the hub nor from a pending mutation.
  public let strays: Int
  /// Number of visible rows whose creation the hub has rejected.
  public let refused: Int
  /// Whether the visible rows must equal the entities on the hub, because no pending mutation affects them.
  private let isSettled: Bool

  /// Whether the store and the hub have the same content.
  public var agrees: Bool {
    kinds.allSatisfy { $0.agrees && (!isSettled || $0.visible == $0.atHub.count) } && missing == 0 && strays == 0
      && refused == 0
  }

  init(_ digest: SyncDigest, _ summary: SyncSummary) {
    version = digest.cursor
    missing = digest.missing
    strays = digest.strays
    refused = digest.refused
    isSettled = digest.unsettled == 0
    kinds = MutationEntityType.allCases.map(\.rawValue).sorted().map { name in
      Kind(
        name: name, here: digest.kinds[name] ?? KindSum(), atHub: summary.kinds[name] ?? KindSum(),
        visible: digest.visible[name] ?? 0)
    }.filter { $0.here.count > 0 || $0.atHub.count > 0 || $0.visible > 0 }
  }
}

extension NetworkContainer {
  /// Compares the store with its hub. All changes on the hub must already have been received.
  /// - Returns: `nil` if the hub has changed since then.
  public func compare(for account: Account) async throws -> HubComparison? {
    let summary = try await makeAPIClient(for: account).syncSummary()
    guard let digest = try app.makeStore().syncDigest() else { return nil }
    return digest.cursor == summary.position.head ? HubComparison(digest, summary) : nil
  }
}

extension HubComparison {
  public var members: [(String, JSONText)] {
    func sum(_ sum: KindSum) -> JSONText {
      .object([("count", .number(sum.count)), ("hash", .string(sum.hexadecimal))])
    }
    return [
      ("version", .number(version)), ("agrees", .bool(agrees)),
      (
        "kinds",
        .array(
          kinds.map {
            .object([
              ("kind", .string($0.name)), ("agrees", .bool($0.agrees)), ("here", sum($0.here)), ("hub", sum($0.atHub)),
              ("visible", .number($0.visible)),
            ])
          })
      ), ("missing_rows", .number(missing)), ("unknown_rows", .number(strays)), ("rejected_rows", .number(refused)),
    ]
  }
}
