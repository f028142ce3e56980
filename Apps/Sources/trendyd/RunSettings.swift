import AgentLink
import AppContainer
import CommandSupport
import Synchronization
import TrendyAgent
import TrendyModels
import TrendyProtocols

/// Settings of a running daemon, which can be reloaded.
final class RunSettings: Sendable {
  private struct State {
    var session: DaemonSession
    var options: RunOptions
  }

  /// Keys whose values apply immediately after a reload.
  private static let immediate: Set<String> = [
    Setting.poll, Setting.dayStartsAt, Setting.weekStartsOn, Setting.hours, Setting.units,
    Setting.exportEvery, Setting.exportTo, Setting.exportFormat, Setting.exportKeep,
  ].reduce(into: []) { $0.insert($1.key) }

  private let state: Mutex<State>
  /// Called after a reload.
  private let listeners = Mutex<[@Sendable () -> Void]>([])
  /// Values at the start of all settings not in ``immediate``.
  private let started: [String: String]

  init(_ session: DaemonSession, _ options: RunOptions) {
    started = options.texts
    state = Mutex(State(session: session, options: options))
  }

  var pollInterval: Duration { state.withLock { $0.options.pollInterval } }

  /// Scheduled export, if any.
  var exports: ExportPlan? { state.withLock { $0.options.exports } }

  /// Calls `listener` after each reload.
  func onReload(_ listener: @escaping @Sendable () -> Void) { listeners.withLock { $0.append(listener) } }

  /// Settings including the synced ones.
  func preferences(_ store: any DataStoreProtocol) -> Preferences {
    var settings = state.withLock { $0.session.settings }
    // Errors of the store are reported elsewhere; the settings of this machine apply then.
    settings.synced = (try? store.syncedSettings()) ?? [:]
    return Preferences(settings)
  }

  /// Reloads the configuration and logs the result.
  /// - Returns: JSON response.
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
          "Configuration rejected, the old one stays active: \(error.message)", hint: error.hint, exit: error.exit))
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

  /// Result of a reload.
  struct Reload: Hashable, Sendable {
    /// Changed keys that apply now.
    var changed: [String]
    /// Changed keys that apply after a restart.
    var waiting: [String]

    /// Text for the log.
    var words: String {
      let parts = [
        changed.isEmpty ? nil : "\(changed.joined(separator: ", ")) changed",
        waiting.isEmpty ? nil : "\(waiting.joined(separator: ", ")) will change after a restart",
      ].compactMap(\.self)
      return "Configuration reloaded: \(parts.isEmpty ? "no changes" : parts.joined(separator: "; "))."
    }
  }

  /// Reloads the configuration. An invalid one is rejected as a whole.
  /// - Throws: ``CommandError`` for an invalid configuration; the previous one stays active.
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
  /// - Throws: ``CommandError`` with exit 78 that contains the errors in the configuration.
  func check() throws(CommandError) {
    try settings.checkAll()
    _ = try RunOptions(self)
  }
}
