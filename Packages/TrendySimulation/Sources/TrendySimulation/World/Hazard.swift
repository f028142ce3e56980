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
  /// The hub's date jumps, and with it the time that devices learn.
  case hubClock = "hub-clock"
  /// The hub is started again and again, and each of its lives writes something.
  case hubLives = "hub-lives"
  /// The hub and the store of the first device go back to one backup.
  case restoredTogether = "restored-together"
  /// A person clears a device's queue.
  case clearedQueue = "cleared-queue"
  /// Another program on a device's store syncs as well.
  case secondEngine = "second-engine"
  /// Programs that know no versions write to the hub: plain requests, what trackers post.
  case plainWriter = "plain-writer"
  /// Devices tell their companions what goes on with them, beside the sync.
  case companions
  /// Another person at the same hub uses the same ids.
  case stranger
  /// Many things are recorded in one save.
  case bulk
  /// The hub's answers have numbers at the ends of their range, other people's ids, another order, pages that shrink.
  case lyingHub = "lying-hub"
  /// A device of the person's pushes such things.
  case lyingDevice = "lying-device"

  /// Several hubs share a database that loses connections, refuses transactions and fails over to a standby.
  case database
  /// Trackers of another person post late, twice and out of order, to hubs that stand still or die while they look through it.
  case trackers
  /// The hub keeps no more of the record than a person may have.
  case fullRecord = "full-record"
  /// The hub refuses whole pushes, with any status and in a row; some of them it has judged.
  case refusedPushes = "refused-pushes"
  /// A webhook is told of what changes, and its receiver refuses, hangs, is away, or answers and is not heard.
  case webhooks
  /// Persons take back what they did, do it again, and restore what they deleted, as the commands do.
  case undo
  /// A device records for long before it syncs for the first time, and may go back to a backup of that time.
  case lateConnection = "late-connection"

  /// All but the liars: where nobody keeps their word, only what holds without it is checked.
  public static let usual = Set(allCases).subtracting([.lyingHub, .lyingDevice])

  /// What needs Trendy's own hub.
  static let ofTheHub: Set<Hazard> = [
    .hubCrash, .hubDisk, .restoredHub, .oldVersion, .unreadable, .hubClock, .hubLives, .restoredTogether, .plainWriter,
    .stranger, .lyingHub, .lyingDevice, .secondEngine, .clearedQueue,
    .companions, .database, .trackers, .webhooks, .fullRecord, .undo,
  ]

  /// What needs a hub on files.
  static let ofFiles: Set<Hazard> = [.hubCrash, .hubDisk]

  /// What an old version cannot stand: it does not tell that the hub went back, reads no store of a later version, and takes no list
  /// in which there is something that it cannot read.
  static let beyondOldVersions: Set<Hazard> = [
    .restoredHub, .restoredTogether, .copiedStore, .unreadable, .lyingHub, .lyingDevice, .secondEngine, .clearedQueue,
  ]

  /// How often it comes beside the others.
  var weight: Int {
    switch self {
    case .network: 110
    case .deviceCrash, .clock, .deviceDisk: 12
    case .hubCrash: 10
    case .hubDisk: 5
    case .restoredStore, .copiedStore, .restoredHub, .outage: 8
    case .compaction, .rateLimit, .resync: 6
    case .plainWriter: 12
    case .hubClock, .clearedQueue, .restoredTogether, .secondEngine: 5
    case .unreadable, .bulk, .stranger: 4
    case .hubLives: 3
    case .lyingHub, .lyingDevice: 20
    // These are part of a whole story, or not.
    case .oldVersion, .secondProcess, .companions, .database, .trackers, .webhooks, .fullRecord, .undo, .refusedPushes,
      .lateConnection:
      0
    }
  }
}
