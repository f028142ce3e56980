import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Store of a command, opened on first use, with its synced settings.
final class PersonalStore {
  /// Settings and the values derived from them.
  struct Known {
    var settings: Settings
    var local: LocalTime
    var units: Units
    /// Error that prevented reading the synced settings.
    var failure: (any Error)?
  }

  private let directory: URL
  private let machine: Settings
  private let isUTC: Bool
  /// Whether the command shares one open store.
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
      console.explain(isHeard ? "Notified the agent of the change." : "No agent is running to be notified.")
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
        // A command that needs the store reports the error when it opens it; others use the settings of this machine.
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

  /// Returns the synced settings; none without a store.
  private func synced() throws -> [String: String] {
    DeviceRecord.exists(at: directory) ? try open().makeStore().syncedSettings() : [:]
  }
}

@available(*, unavailable) extension PersonalStore: Sendable {}
