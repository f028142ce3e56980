import CommandSupport
public import TrendyFoundation

/// Where an agent shows itself while it runs.
///
/// The agent of the person's own store does it in `$XDG_RUNTIME_DIR/trendy`, which goes with the session; that of any other
/// store, or without such a folder, in the store's own. So two agents never write to one file.
public struct RuntimeFiles: Hashable, Sendable {
  /// What status bars read.
  public let status: URL
  /// The control socket.
  public let control: URL

  /// - Parameter status: another place for the status file; else `TRENDY_STATUS` is one.
  public init(storeDirectory: URL, environment: [String: String], status option: String? = nil) {
    var plain = environment
    plain["TRENDY_STORE"] = nil
    let isOwn =
      storeDirectory.standardizedFileURL.path
      == StoreLocation.store(option: nil, environment: plain).standardizedFileURL.path
    let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let folder: URL
    if isOwn, let runtime {
      folder = URL(filePath: runtime).appending(path: "trendy")
      control = folder.appending(path: "agent.sock")
    } else {
      folder = storeDirectory
      // Beside `agent.sock`, by which the store's writers wake the agent.
      control = folder.appending(path: "control.sock")
    }
    let named = option ?? environment["TRENDY_STATUS"].flatMap { $0.isEmpty ? nil : $0 }
    self.status = named.map { URL(filePath: $0) } ?? folder.appending(path: "status.json")
  }

  /// Of a hub that runs without an agent, in its own folder.
  public init(hubDirectory: URL) {
    status = hubDirectory.appending(path: "status.json")
    control = hubDirectory.appending(path: "control.sock")
  }

  /// Makes the folders, for their owner alone.
  public func makeFolders() throws {
    for file in [status, control] {
      let folder = file.deletingLastPathComponent()
      guard !FileManager.default.fileExists(atPath: folder.path) else { continue }
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
  }
}
