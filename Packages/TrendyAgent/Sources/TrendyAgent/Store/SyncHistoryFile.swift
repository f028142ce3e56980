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

/// The last 50 sync rounds, in a file next to the store.
public struct SyncHistoryFile: SyncHistoryRecording {
  /// Maximum number of rounds in the file.
  public static let limit = 50
  private let url: URL

  /// Creates a reference to `sync-history.json` in a directory, which need not exist.
  public init(storeDirectory: URL) {
    url = storeDirectory.appending(path: "sync-history.json")
  }

  /// Returns the rounds, oldest first. An invalid file counts as empty, because the history is only informative.
  public func load() -> [SyncRun] {
    (try? WireJSON.decode([SyncRun].self, from: Data(contentsOf: url))) ?? []
  }

  /// Appends a round and removes the rounds beyond ``limit``. Write errors are ignored.
  public func record(_ run: SyncRun) async {
    let runs = (load() + [run]).suffix(Self.limit)
    try? OwnerOnlyFile.replace(url, with: WireJSON.encode(Array(runs)))
  }

  /// Returns the error that currently prevents writing, such as a full disk, or `nil` if there is none.
  public func obstacle() -> OwnerOnlyFile.WriteError? {
    // Write to a separate file, which is unlinked first, to keep the history safe.
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

  /// Approximate size of a full history in bytes.
  private static let bytes = 16 << 10
}
