import CommandSupport
import Foundation

struct HookOptions: Sendable {
  let folder: URL
  /// Time in seconds after which a hook is killed.
  let deadline: Double

  static let options = [
    OptionSpec(
      "--hooks", value: "dir", kind: .folder,
      help:
        "folder of hooks: executables named on-event, on-trip, on-visit, on-notice or on-sync-problem (default: as configured)"
    ),
    OptionSpec(
      "--hook-deadline", value: "duration", kind: .duration, help: "time after which a hook is killed (default 30s)"),
  ]

  init(_ session: DaemonSession) throws(CommandError) {
    guard let seconds = DurationPhrase.seconds(session.arguments.value("--hook-deadline") ?? "30s"),
      (1...3600).contains(seconds)
    else { throw session.invalid("--hook-deadline", hint: "Use a duration from 1s to 1h.") }
    deadline = Double(seconds)
    let environment = session.environment
    func named(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    guard let path = session.value("--hooks", Setting.hooks) else {
      let config = named("XDG_CONFIG_HOME").map { URL(filePath: $0) }
      folder = (config ?? URL(filePath: HomeFolder.path(in: environment)).appending(path: ".config"))
        .appending(path: "trendy/hooks")
      return
    }
    folder = URL(filePath: path)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
      throw CommandError(
        "Hook folder \(folder.path) not found",
        hint: "Create it and add executables, for example on-event or on-trip.",
        exit: .notFound)
    }
  }
}
