import CommandSupport
import Foundation

/// Where a person's hooks are, and how long one may take.
struct HookOptions: Sendable {
  let folder: URL
  /// Seconds.
  let deadline: Double

  static let options = [
    OptionSpec(
      "--hooks", value: "dir", kind: .folder,
      help:
        "the folder of on-event, on-trip, on-visit, on-notice and on-sync-problem, else TRENDY_HOOKS, else the configuration's"
    ),
    OptionSpec(
      "--hook-deadline", value: "duration", kind: .duration, help: "after which a hook is killed (30s)"),
  ]

  /// - Throws: ``CommandError`` for a folder that was named and is not there, and for no duration.
  init(_ session: DaemonSession) throws(CommandError) {
    guard let seconds = DurationPhrase.seconds(session.arguments.value("--hook-deadline") ?? "30s"),
      (1...3600).contains(seconds)
    else { throw session.invalid("--hook-deadline", hint: "It is a duration from 1s to 1h.") }
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
        "There is no folder of hooks at \(folder.path)",
        hint: "Make it, and put executables into it: on-event, on-trip.",
        exit: .notFound)
    }
  }
}
