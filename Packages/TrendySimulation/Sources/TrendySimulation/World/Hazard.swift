/// Family of faults that a scenario may contain.
public enum Hazard: String, Hashable, Sendable, CaseIterable {
  /// Requests and responses are lost, repeated, delayed, truncated or replaced by an error.
  case network
  /// Devices lose power before any of their disk changes.
  case deviceCrash = "device-crash"
  case hubCrash = "hub-crash"
  case deviceDisk = "device-disk"
  case hubDisk = "hub-disk"
  case clock
  /// A second process writes to a device's store.
  case secondProcess = "second-process"
  /// A device's store is restored from a backup.
  case restoredStore = "restored-store"
  /// A device continues with a copy of another device's store.
  case copiedStore = "copied-store"
  /// The hub is restored from a backup.
  case restoredHub = "restored-hub"
  /// Months pass, and the hub compacts old tombstones.
  case compaction
  /// A device runs a version that uses only plain REST.
  case oldVersion = "old-version"
  /// A device has no network for up to several hours, and its signal streams are closed or silent.
  case outage
  /// The hub limits each device's requests per minute.
  case rateLimit = "rate-limit"
  /// iOS suspends the app on a device, also during a round.
  case suspension
  /// A newer version writes entities that this version cannot read.
  case unreadable
  /// A user requests a snapshot.
  case resync
  /// The hub's date jumps, which changes the hub time that devices estimate.
  case hubClock = "hub-clock"
  /// The hub restarts repeatedly, with a write after each start.
  case hubEpochs = "hub-epochs"
  /// The hub and the store of the first device are restored from one backup.
  case restoredTogether = "restored-together"
  /// A user clears a device's queue.
  case clearedQueue = "cleared-queue"
  /// A second program on a device's store syncs as well.
  case secondEngine = "second-engine"
  /// Plain REST clients and trackers write to the hub.
  case plainWriter = "plain-writer"
  /// Devices send notices to companions.
  case companions
  /// Another user of the hub uses the same ids.
  case stranger
  /// Many entities are recorded in one save.
  case bulk
  /// Responses contain extreme numbers, foreign ids, reordered entries, or fewer entries than announced.
  case lyingHub = "lying-hub"
  /// One of the user's devices pushes mutations that are corrupted in the same ways as responses in ``lyingHub``.
  case lyingDevice = "lying-device"

  /// Several hubs share a database that loses connections, rejects transactions and fails over to a standby.
  case database
  /// Another user's trackers post late, twice and out of order, to hubs that stall or crash during detection.
  case trackers
  /// The hub limits the size of the record.
  case fullRecord = "full-record"
  /// The hub rejects whole pushes with any status, repeatedly, and in some cases after processing them.
  case refusedPushes = "refused-pushes"
  /// A webhook delivers changes to a receiver that rejects deliveries, hangs or is unreachable, or whose responses are
  /// lost.
  case webhooks
  /// Users undo and redo commands and restore deleted entities.
  case undo
  /// A device records for a long time before its first sync, and may be restored from a backup made during that time.
  case lateConnection = "late-connection"

  /// All hazards except corrupted data, under which only some invariants can be checked.
  public static let usual = Set(allCases).subtracting([.lyingHub, .lyingDevice])

  /// Hazards that require Trendy's own hub.
  static let ofTheHub: Set<Hazard> = [
    .hubCrash, .hubDisk, .restoredHub, .oldVersion, .unreadable, .hubClock, .hubEpochs, .restoredTogether, .plainWriter,
    .stranger, .lyingHub, .lyingDevice, .secondEngine, .clearedQueue,
    .companions, .database, .trackers, .webhooks, .fullRecord, .undo,
  ]

  static let ofFiles: Set<Hazard> = [.hubCrash, .hubDisk]

  /// Hazards that an old version does not support: it does not detect a hub restore, cannot read a later store, and
  /// rejects a list with an unreadable entry.
  static let beyondOldVersions: Set<Hazard> = [
    .restoredHub, .restoredTogether, .copiedStore, .unreadable, .lyingHub, .lyingDevice, .secondEngine, .clearedQueue,
  ]

  var weight: Int {
    switch self {
    case .network: 110
    case .deviceCrash, .clock, .deviceDisk: 12
    case .hubCrash: 10
    case .hubDisk: 5
    case .restoredStore, .copiedStore, .restoredHub, .outage: 8
    case .compaction, .rateLimit, .resync, .suspension: 6
    case .plainWriter: 12
    case .hubClock, .clearedQueue, .restoredTogether, .secondEngine: 5
    case .unreadable, .bulk, .stranger: 4
    case .hubEpochs: 3
    case .lyingHub, .lyingDevice: 20
    // These hazards apply to a whole scenario or not at all.
    case .oldVersion, .secondProcess, .companions, .database, .trackers, .webhooks, .fullRecord, .undo, .refusedPushes,
      .lateConnection:
      0
    }
  }
}
