import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// A command's store and the settings synced with it, both opened on first use.
final class PersonalStore {
  /// Effective settings, and the calendar and units derived from them.
  struct Known {
    var settings: Settings
    var local: LocalTime
    var units: Units
    /// Error from reading the synced settings, if any.
    var failure: (any Error)?
  }

  private let directory: URL
  private let machine: Settings
  private let isUTC: Bool
  /// Whether all calls of ``open()`` return the same store.
  private let isShared: Bool
  private let console: Console
  private var opened: AppContainer?

  init(directory: URL, settings: Settings, isUTC: Bool, isShared: Bool, console: Console) {
    self.directory = directory
    machine = settings
    self.isUTC = isUTC
    self.isShared = isShared
    self.console = console
  }

  func open() throws -> AppContainer {
    if let opened { return opened }
    guard DeviceRecord.exists(at: directory) else { throw CommandError.noStore(at: directory.path) }
    let console = console
    let container = try AppContainer(storeDirectory: directory) { isHeard in
      console.explain(isHeard ? "Notified the agent of the change." : "No agent was notified, because none is running.")
    }
    if isShared { opened = container }
    return container
  }

  private(set) lazy var known: Known = {
    var settings = machine
    var failure: (any Error)?
    if isShared {
      do {
        settings.synced = try synced()
      } catch let error {
        // A command that needs the store reports this error when opening it. Other commands use this machine's
        // settings.
        failure = error
      }
    }
    for key in settings.unusableSynced {
      console.talk("Ignored the synced setting '\(key)': its value is unknown to this version of trendy.")
    }
    for spec in Setting.all where settings.resolved(spec).origin != .standard {
      let value = settings.resolved(spec)
      console.explain("Setting: \(spec.key) = \(value.text ?? "") (\(value.origin.words))")
    }
    let preferences = Preferences(settings)
    return Known(settings: settings, local: preferences.local(isUTC: isUTC), units: preferences.units, failure: failure)
  }()

  /// Returns the synced settings, or none if no store exists.
  private func synced() throws -> [String: String] {
    DeviceRecord.exists(at: directory) ? try open().makeStore().syncedSettings() : [:]
  }
}

@available(*, unavailable) extension PersonalStore: Sendable {}
