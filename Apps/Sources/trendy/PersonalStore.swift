import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// The store of a command, opened when it is needed first, and what the person set in it.
final class PersonalStore {
  /// What is known once the person's settings are read.
  struct Known {
    var settings: Settings
    var local: LocalTime
    var units: Units
    /// Why what the person synced could not be read.
    var failure: (any Error)?
  }

  private let directory: URL
  private let machine: Settings
  private let isUTC: Bool
  /// Whether one opening serves the whole command.
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
      console.explain(isHeard ? "The agent was told of the change." : "No agent runs that could be told of the change.")
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
        // A command that needs the store says so itself, as soon as it opens it; others need no more than this machine sets.
        failure = error
      }
    }
    for key in settings.unusableSynced {
      console.talk("The synced setting '\(key)' has a value that this version does not know: it is left aside.")
    }
    for spec in Setting.all where settings.resolved(spec).origin != .standard {
      let value = settings.resolved(spec)
      console.explain("Setting: \(spec.key) = \(value.text ?? "") (\(value.origin.words))")
    }
    let preferences = Preferences(settings)
    return Known(settings: settings, local: preferences.local(isUTC: isUTC), units: preferences.units, failure: failure)
  }()

  /// What the record has of the person's settings; nothing where there is none yet.
  private func synced() throws -> [String: String] {
    DeviceRecord.exists(at: directory) ? try open().makeStore().syncedSettings() : [:]
  }
}

@available(*, unavailable) extension PersonalStore: Sendable {}
