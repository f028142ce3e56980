import CommandSupport
import Foundation

struct ServiceInstallation: Sendable {
  /// Destination folders by kind of file.
  private let folders: [ServiceFile.Kind: URL]
  let files: [ServiceFile]
  /// Whether the service belongs to the user's session or, if `false`, to the machine.
  let isUser: Bool
  /// Whether the service manager is running and uses these folders. `false` when installing to `DESTDIR`.
  let isManagerPresent: Bool

  init(role: DaemonRun.Role, isUser: Bool, environment: [String: String]) throws(CommandError) {
    self.isUser = isUser
    let root = URL(filePath: environment["DESTDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/")
    let home = HomeFolder.path(in: environment)
    #if os(macOS)
      guard isUser, role == .agent else {
        throw CommandError(
          "launchd supports only the agent", hint: "Install it with: trendyd service install --user", exit: .usage
        )
      }
      files = [.launchAgent]
      folders = [.launchAgent: root.appending(path: home).appending(path: "Library/LaunchAgents")]
      isManagerPresent = root.path == "/"
    #else
      guard isUser || role == .hub else {
        throw CommandError(
          "The agent runs for a user and cannot be a system service",
          hint: "Run 'trendyd service install --user' as that user.", exit: .usage)
      }
      let agent: [ServiceFile] = role == .hub ? [] : [.userAgent]
      let hub: [ServiceFile] = role == .agent ? [] : isUser ? [.userHub] : [.hubUser, .hub]
      files = hub + agent
      let config = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
      folders = [
        .systemUnit: root.appending(path: "etc/systemd/system"), .systemUser: root.appending(path: "etc/sysusers.d"),
        .userUnit: root.appending(path: config).appending(path: "systemd/user"),
      ]
      let manager =
        isUser ? environment["XDG_RUNTIME_DIR"].map { $0 + "/systemd/private" } : "/run/systemd/system"
      isManagerPresent = root.path == "/" && manager.map { FileManager.default.fileExists(atPath: $0) } == true
    #endif
  }

  func url(of file: ServiceFile) -> URL {
    guard let folder = folders[file.kind] else { preconditionFailure("no folder for \(file.name)") }
    return folder.appending(path: file.name)
  }

  private var units: [String] { files.filter { $0.kind != .systemUser }.map(\.name) }

  var startCommands: [[String]] {
    #if os(macOS)
      return files.map { ["launchctl", "bootstrap", "gui/\(getuid())", url(of: $0).path] }
    #else
      let sysusers = files.filter { $0.kind == .systemUser }.map { ["systemd-sysusers", url(of: $0).path] }
      return sysusers + [systemctl + ["daemon-reload"], systemctl + ["enable", "--now"] + units]
    #endif
  }

  var stopCommands: [[String]] {
    #if os(macOS)
      return files.map { ["launchctl", "bootout", "gui/\(getuid())", url(of: $0).path] }
    #else
      return [systemctl + ["disable", "--now"] + units]
    #endif
  }

  /// Commands for the service manager after the service's files have been removed.
  var forgetCommands: [[String]] {
    #if os(macOS)
      return []
    #else
      return [systemctl + ["daemon-reload"]]
    #endif
  }

  private var systemctl: [String] { isUser ? ["systemctl", "--user"] : ["systemctl"] }

  func run(_ command: [String]) throws(CommandError) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = FileHandle.nullDevice
    let line = command.joined(separator: " ")
    do {
      try process.run()
    } catch {
      throw CommandError(
        "Cannot run '\(line)': \(error)", hint: "Check that the program is installed.", exit: .unreachable)
    }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CommandError(
        "'\(line)' failed with status \(process.terminationStatus)",
        hint: "Its output is above. The files are installed; correct the problem and run the command again.",
        exit: .unreachable)
    }
  }

  // MARK: Files

  /// Whether a file was written by trendyd and may be replaced or removed, or `nil` if it does not exist.
  func isOurs(_ file: ServiceFile) throws(CommandError) -> Bool? {
    let path = url(of: file).path
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CommandError("Cannot read \(path)", hint: "Check its permissions.", exit: .readWrite)
    }
    return String(decoding: data, as: UTF8.self).contains(ServiceFile.mark)
  }

  /// Writes a file and returns whether it is new or changed.
  /// - Throws: ``CommandError`` if the file cannot be written, or if it exists and was not written by trendyd.
  func write(_ file: ServiceFile, program: String) throws(CommandError) -> Bool {
    let url = url(of: file)
    let text = file.text(program: program)
    switch try isOurs(file) {
    case false?:
      throw CommandError(
        "\(url.path) exists and was not written by trendyd",
        hint: "Move the file away, or move its settings to a drop-in, then run this command again.", exit: .cannotCreate
      )
    case true? where FileManager.default.contents(atPath: url.path) == Data(text.utf8): return false
    default: break
    }
    do {
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url, options: .atomic)
      // Atomic writing makes the file readable only by its owner, but the service manager must be able to read it.
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path)
      return true
    } catch {
      throw CommandError(
        cannot: "write", url.path, error,
        hint: isUser ? nil : "Run this command as root, or install a user service with --user.")
    }
  }
}
