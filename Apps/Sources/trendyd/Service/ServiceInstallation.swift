import CommandSupport
import Foundation

/// Where the files of a service go, and what its manager is to be asked for.
struct ServiceInstallation: Sendable {
  /// Folder by kind of file.
  private let folders: [ServiceFile.Kind: URL]
  let files: [ServiceFile]
  /// For the person's session and not the machine.
  let isUser: Bool
  /// Whether the manager runs here and the files are where it looks.
  let isManagerPresent: Bool

  /// - Throws: ``CommandError`` for a role that the scope does not have.
  init(role: DaemonRun.Role, isUser: Bool, environment: [String: String]) throws(CommandError) {
    self.isUser = isUser
    let root = URL(filePath: environment["DESTDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/")
    let home = HomeFolder.path(in: environment)
    #if os(macOS)
      guard isUser, role == .agent else {
        throw CommandError(
          "There is no job of launchd for that", hint: "The agent has one: trendyd service install --user", exit: .usage
        )
      }
      files = [.launchAgent]
      folders = [.launchAgent: root.appending(path: home).appending(path: "Library/LaunchAgents")]
      isManagerPresent = root.path == "/"
    #else
      guard isUser || role == .hub else {
        throw CommandError(
          "The agent works for a person, and not for the machine",
          hint: "trendyd service install --user, as that person.", exit: .usage)
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

  /// What starts the service, each a command line.
  var startCommands: [[String]] {
    #if os(macOS)
      return files.map { ["launchctl", "bootstrap", "gui/\(getuid())", url(of: $0).path] }
    #else
      let sysusers = files.filter { $0.kind == .systemUser }.map { ["systemd-sysusers", url(of: $0).path] }
      return sysusers + [systemctl + ["daemon-reload"], systemctl + ["enable", "--now"] + units]
    #endif
  }

  /// What ends it, before its files go.
  var stopCommands: [[String]] {
    #if os(macOS)
      return files.map { ["launchctl", "bootout", "gui/\(getuid())", url(of: $0).path] }
    #else
      return [systemctl + ["disable", "--now"] + units]
    #endif
  }

  /// What tells the manager that they are gone.
  var forgetCommands: [[String]] {
    #if os(macOS)
      return []
    #else
      return [systemctl + ["daemon-reload"]]
    #endif
  }

  private var systemctl: [String] { isUser ? ["systemctl", "--user"] : ["systemctl"] }

  /// - Throws: ``CommandError`` with exit 69 where the manager refuses.
  func run(_ command: [String]) throws(CommandError) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = FileHandle.nullDevice
    let line = command.joined(separator: " ")
    do {
      try process.run()
    } catch {
      throw CommandError("'\(line)' cannot be started: \(error)", exit: .unreachable)
    }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CommandError(
        "'\(line)' ended with status \(process.terminationStatus)",
        hint: "Its own words stand above. The files are in place; once it is mended, say it again by hand.",
        exit: .unreachable)
    }
  }

  // MARK: Files

  /// Whether the file may be replaced or removed: written by us, and not by somebody else.
  func isOurs(_ file: ServiceFile) throws(CommandError) -> Bool? {
    let path = url(of: file).path
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CommandError("\(path) cannot be read", hint: "Give this user the right to.", exit: .readWrite)
    }
    return String(decoding: data, as: UTF8.self).contains(ServiceFile.mark)
  }

  /// - Returns: whether it was not there as it is now.
  func write(_ file: ServiceFile, program: String) throws(CommandError) -> Bool {
    let url = url(of: file)
    let text = file.text(program: program)
    switch try isOurs(file) {
    case false?:
      throw CommandError(
        "\(url.path) was not written by trendyd, and stays as it is",
        hint: "Move it away, or put what it says into a drop-in, and say this again.", exit: .cannotCreate)
    case true? where FileManager.default.contents(atPath: url.path) == Data(text.utf8): return false
    default: break
    }
    do {
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url, options: .atomic)
      // For everybody to read, as the manager does: atomic writing makes it its owner's.
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path)
      return true
    } catch {
      throw CommandError(
        "\(url.path) cannot be written: \(error.localizedDescription)",
        hint: isUser ? nil : "A service of the machine is installed as root; one of your own with --user.",
        exit: .cannotCreate)
    }
  }
}
