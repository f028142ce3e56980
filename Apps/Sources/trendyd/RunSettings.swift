import AgentLink
import AppContainer
import CommandSupport
import Synchronization
import TrendyAgent
import TrendyModels
import TrendyProtocols

/// What a daemon that runs goes by, read again when it is asked to.
final class RunSettings: Sendable {
  private struct State {
    var session: DaemonSession
    var options: RunOptions
  }

  /// Keys whose values count as soon as they are read.
  private static let immediate: Set<String> = [
    Setting.poll, Setting.dayStartsAt, Setting.weekStartsOn, Setting.hours, Setting.units,
    Setting.exportEvery, Setting.exportTo, Setting.exportFormat, Setting.exportKeep,
  ].reduce(into: []) { $0.insert($1.key) }

  private let state: Mutex<State>
  /// Called when it was read again.
  private let listeners = Mutex<[@Sendable () -> Void]>([])
  /// The values that those of ``immediate`` do not cover, as they were at the start.
  private let started: [String: String]

  init(_ session: DaemonSession, _ options: RunOptions) {
    started = options.texts
    state = Mutex(State(session: session, options: options))
  }

  var pollInterval: Duration { state.withLock { $0.options.pollInterval } }

  /// What is exported by itself; `nil` for nothing.
  var exports: ExportPlan? { state.withLock { $0.options.exports } }

  /// Calls `listener` each time that the configuration was read again, from now on.
  func onReload(_ listener: @escaping @Sendable () -> Void) { listeners.withLock { $0.append(listener) } }

  /// With what the person synced.
  func preferences(_ store: any DataStoreProtocol) -> Preferences {
    var settings = state.withLock { $0.session.settings }
    // A record that cannot be read is said by those who show it; times and lengths are then shown as this machine sets them.
    settings.synced = (try? store.syncedSettings()) ?? [:]
    return Preferences(settings)
  }

  /// Reads the configuration again and logs what came of it.
  /// - Returns: the answer to who asked.
  @discardableResult
  func reloaded(_ console: Console) -> JSONText {
    do throws(CommandError) {
      let reload = try reload()
      console.talk(reload.words)
      func keys(_ keys: [String]) -> JSONText { .array(keys.map { .string($0) }) }
      return .object([
        ("schema", .string("trendyd.reload/1")), ("changed", keys(reload.changed)), ("waiting", keys(reload.waiting)),
      ])
    } catch {
      _ = console.report(
        CommandError(
          "The configuration is refused, the old one stays: \(error.message)", hint: error.hint, exit: error.exit))
      return .object([
        (
          "error",
          .object([
            ("code", .string(error.exit.code)), ("message", .string(error.message)), ("hint", .string(error.hint)),
          ])
        )
      ])
    }
  }

  /// A reading of the configuration, and what came of it.
  struct Reload: Hashable, Sendable {
    /// Keys whose new values count from now on.
    var changed: [String]
    /// Keys whose new values count from the next start on.
    var waiting: [String]

    /// For the log.
    var words: String {
      let parts = [
        changed.isEmpty ? nil : "\(changed.joined(separator: ", ")) changed",
        waiting.isEmpty ? nil : "\(waiting.joined(separator: ", ")) will change at the next start",
      ].compactMap(\.self)
      return "Configuration read again: \(parts.isEmpty ? "nothing changed" : parts.joined(separator: "; "))."
    }
  }

  /// Reads the configuration again. One that is wrong is refused whole.
  /// - Throws: ``CommandError`` that says what is wrong; what counted before still does.
  func reload() throws(CommandError) -> Reload {
    let (old, session) = state.withLock { ($0.options, $0.session.rereading()) }
    try session.check()
    let options = try RunOptions(session)
    let keys = Set(old.texts.keys).union(options.texts.keys).sorted()
    let changed = keys.filter { Self.immediate.contains($0) && old.texts[$0] != options.texts[$0] }
    let waiting = keys.filter { !Self.immediate.contains($0) && started[$0] != options.texts[$0] }
    state.withLock {
      $0.session = session
      $0.options = options
    }
    for listener in listeners.withLock({ $0 }) { listener() }
    return Reload(changed: changed, waiting: waiting)
  }
}

extension DaemonSession {
  /// - Throws: ``CommandError`` with exit 78 for the first thing that is wrong in the configuration.
  func check() throws(CommandError) {
    try settings.check()
    _ = try RunOptions(self)
  }
}
