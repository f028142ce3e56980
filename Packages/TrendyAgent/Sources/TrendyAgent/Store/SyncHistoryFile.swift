public import TrendyFoundation
import TrendyModels
public import TrendyProtocols

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

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

  /// Why nothing can be noted by now, as on a disk that is full; `nil` where something can.
  public func obstacle() -> OwnerOnlyFile.WriteError? {
    // Beside the history, so that no note is lost, and without a name before anything is in it.
    let probe = url.path + ".room-\(getpid())"
    let descriptor = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return OwnerOnlyFile.WriteError(path: url.path, code: errno) }
    defer { close(descriptor) }
    unlink(probe)
    let bytes = [UInt8](repeating: 0, count: Self.bytes)
    let written = write(descriptor, bytes, bytes.count)
    return written == bytes.count
      ? nil : OwnerOnlyFile.WriteError(path: url.path, code: written < 0 ? errno : ENOSPC)
  }

  /// About as long as the history is when it is full.
  private static let bytes = 16 << 10
}
