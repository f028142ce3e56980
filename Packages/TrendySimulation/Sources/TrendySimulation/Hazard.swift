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
  /// A device has no network for up to some hours, and its signals are dropped or fall silent.
  case outage
  /// The hub takes so few requests a minute of each device.
  case rateLimit = "rate-limit"
  /// A newer version writes what this one cannot read.
  case unreadable
  /// A person has a device take everything anew.
  case resync

  /// How often it comes beside the others.
  var weight: Int {
    switch self {
    case .network: 110
    case .deviceCrash, .clock, .deviceDisk: 12
    case .hubCrash: 10
    case .hubDisk: 5
    case .restoredStore, .copiedStore, .restoredHub, .outage: 8
    case .compaction, .rateLimit, .resync: 6
    case .unreadable: 4
    case .oldVersion, .secondProcess: 0
    }
  }
}
