#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import TrendyModels
public import TrendyProtocols

/// The last 50 rounds of sync, in a file beside the store: written by who syncs, read by who asks.
public struct SyncHistoryFile: SyncHistoryRecording {
  public static let limit = 50
  private let url: URL

  public init(storeDirectory: URL) {
    url = storeDirectory.appending(path: "sync-history.json")
  }

  /// The oldest first. A file that cannot be read counts as none: it holds nothing that the store does not.
  public func load() -> [SyncRun] {
    (try? WireJSON.decode([SyncRun].self, from: Data(contentsOf: url))) ?? []  // see above: why failure does not matter
  }

  public func record(_ run: SyncRun) async {
    let runs = (load() + [run]).suffix(Self.limit)
    // A round that went well must not count as failed because its note could not be kept.
    try? OwnerOnlyFile.replace(url, with: WireJSON.encode(Array(runs)))
  }
}
