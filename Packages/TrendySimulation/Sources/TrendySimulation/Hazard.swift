/// A family of things that can go wrong in a world.
public enum Hazard: String, Hashable, Sendable, CaseIterable {
  /// Requests and answers are lost, doubled, late, cut off, or answered with an error.
  case network
  case deviceCrash = "device-crash"
  case hubCrash = "hub-crash"
  case deviceDisk = "device-disk"
  case hubDisk = "hub-disk"
  case clock
  /// Another process writes to a device's store.
  case secondProcess = "second-process"
  /// A device goes back to a backup of its store.
  case restoredStore = "restored-store"
  /// A device goes on with a copy of another's store.
  case copiedStore = "copied-store"
  /// The hub goes back to a backup.
  case restoredHub = "restored-hub"
  /// Months pass, and the hub shrinks what was deleted before.
  case compaction
  /// A device runs a version that knows the plain operations only.
  case oldVersion = "old-version"

  /// How often it comes beside the others.
  var weight: Int {
    switch self {
    case .network: 110
    case .secondProcess: 0
    case .deviceCrash, .clock, .deviceDisk: 12
    case .hubCrash: 10
    case .hubDisk: 5
    case .restoredStore, .copiedStore, .restoredHub: 8
    case .compaction: 6
    case .oldVersion: 0
    }
  }
}
