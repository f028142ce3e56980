import CommandSupport
public import TrendyFoundation

/// Paths of an agent's status file and control socket.
///
/// The agent for the default store uses `$XDG_RUNTIME_DIR/trendy`, which is deleted when the user logs out. Agents for
/// other stores use the store's folder, so two agents never share a file.
public struct RuntimeFiles: Hashable, Sendable {
  /// Path of the status file, which status bars read.
  public let status: URL
  /// Path of the control socket.
  public let control: URL

  /// Determines the paths for a store's agent.
  ///
  /// `option` is the path of the status file on the command line, which overrides `TRENDY_STATUS`. That variable
  /// overrides the default.
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
      // In a store's folder, `agent.sock` is the socket for change notifications.
      control = folder.appending(path: "control.sock")
    }
    let named = option ?? environment["TRENDY_STATUS"].flatMap { $0.isEmpty ? nil : $0 }
    self.status = named.map { URL(filePath: $0) } ?? folder.appending(path: "status.json")
  }

  /// Determines the paths for a hub without an agent, which are in the hub's folder.
  public init(hubDirectory: URL) {
    status = hubDirectory.appending(path: "status.json")
    control = hubDirectory.appending(path: "control.sock")
  }

  /// Creates missing folders, accessible only to the owner.
  public func makeFolders() throws {
    for file in [status, control] {
      let folder = file.deletingLastPathComponent()
      guard !FileManager.default.fileExists(atPath: folder.path) else { continue }
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
  }
}
