public import TrendyAgent
import AppContainer
public import CommandSupport
public import TrendyModels
import TrendyNetworking
import TrendySync

/// Comparison of a store and its hub at the same version, by kind.
public struct HubComparison: Sendable {
  /// Entities of one kind in the store and at the hub.
  public struct Kind: Sendable {
    public let name: String
    /// Number and checksum of the entities in the store's replica.
    public let here: KindSum
    /// Number and checksum of the hub's entities.
    public let atHub: KindSum
    /// Visible rows of the store.
    public let visible: Int
    /// Whether replica and hub have the same entities.
    public var agrees: Bool { here == atHub }
  }

  /// Version of the hub at which both were compared.
  public let version: Int64
  /// Kinds known to this version that either side contains.
  public let kinds: [Kind]
  /// Number of entities in the replica whose row is missing although it was not deleted.
  public let missing: Int
  /// Number of rows that neither the hub nor a pending mutation explains.
  public let strays: Int
  /// Number of visible rows whose creation the hub rejected.
  public let refused: Int
  /// Whether no pending mutation can make the visible rows differ from those of the hub.
  private let isSettled: Bool

  /// Whether the store and its hub have the same entities.
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
  /// Compares the store with its hub after it has received everything.
  /// - Returns: `nil` if the hub has changed meanwhile.
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
