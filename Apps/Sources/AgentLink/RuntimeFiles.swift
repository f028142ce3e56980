import CommandSupport
public import TrendyFoundation

/// Paths of the status file and the control socket of an agent.
///
/// The agent of the default store uses `$XDG_RUNTIME_DIR/trendy`, which is removed with the session. Other agents use
/// the folder of their store, so that two agents never share a file.
public struct RuntimeFiles: Hashable, Sendable {
  /// Status file for status bars.
  public let status: URL
  /// Control socket.
  public let control: URL

  /// Locates the files of a store's agent. The path of the status file is the option, if given, else `TRENDY_STATUS`.
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
      // Next to `agent.sock`, which wakes the agent after changes.
      control = folder.appending(path: "control.sock")
    }
    let named = option ?? environment["TRENDY_STATUS"].flatMap { $0.isEmpty ? nil : $0 }
    self.status = named.map { URL(filePath: $0) } ?? folder.appending(path: "status.json")
  }

  /// Files of a hub without an agent, in its own folder.
  public init(hubDirectory: URL) {
    status = hubDirectory.appending(path: "status.json")
    control = hubDirectory.appending(path: "control.sock")
  }

  /// Creates the folders, accessible only to the owner.
  public func makeFolders() throws {
    for file in [status, control] {
      let folder = file.deletingLastPathComponent()
      guard !FileManager.default.fileExists(atPath: folder.path) else { continue }
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
  }
}
