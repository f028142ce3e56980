import AgentLink
import AppContainer
import CommandSupport
import Synchronization
import TrendyAgent
import TrendyModels
import TrendyProtocols

final class RunSettings: Sendable {
  private struct State {
    var session: DaemonSession
    var options: RunOptions
  }

  /// Keys of settings that a reload applies immediately. All other settings require a restart.
  private static let immediate: Set<String> = [
    Setting.poll, Setting.dayStartsAt, Setting.weekStartsOn, Setting.hours, Setting.units,
    Setting.exportEvery, Setting.exportTo, Setting.exportFormat, Setting.exportKeep,
  ].reduce(into: []) { $0.insert($1.key) }

  private let state: Mutex<State>
  /// Functions to call after each reload.
  private let listeners = Mutex<[@Sendable () -> Void]>([])
  /// Values of all settings at startup, to detect changes that require a restart.
  private let started: [String: String]

  init(_ session: DaemonSession, _ options: RunOptions) {
    started = options.texts
    state = Mutex(State(session: session, options: options))
  }

  var pollInterval: Duration { state.withLock { $0.options.pollInterval } }

  var exports: ExportPlan? { state.withLock { $0.options.exports } }

  func onReload(_ listener: @escaping @Sendable () -> Void) { listeners.withLock { $0.append(listener) } }

  func preferences(_ store: any DataStoreProtocol) -> Preferences {
    var settings = state.withLock { $0.session.settings }
    // If the store is unreadable, this machine's settings apply. The error is reported elsewhere.
    settings.synced = (try? store.syncedSettings()) ?? [:]
    return Preferences(settings)
  }

  /// Reloads the configuration, logs the result and returns the response for the control socket.
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
          "Configuration rejected; the previous one stays active: \(error.message)", hint: error.hint, exit: error.exit)
      )
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

  struct Reload: Hashable, Sendable {
    /// Keys of changed settings that now apply.
    var changed: [String]
    /// Keys of changed settings that require a restart.
    var waiting: [String]

    var words: String {
      let parts = [
        changed.isEmpty ? nil : "\(changed.joined(separator: ", ")) changed",
        waiting.isEmpty ? nil : "\(waiting.joined(separator: ", ")) will change after a restart",
      ].compactMap(\.self)
      return "Configuration reloaded: \(parts.isEmpty ? "no changes" : parts.joined(separator: "; "))."
    }
  }

  /// Reloads the configuration. If any part of it is invalid, throws, and the previous configuration stays in effect.
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
  /// Checks the configuration and the options.
  /// - Throws: ``CommandError`` with exit 78 that lists all configuration errors.
  func check() throws(CommandError) {
    try settings.checkAll()
    _ = try RunOptions(self)
  }
}
