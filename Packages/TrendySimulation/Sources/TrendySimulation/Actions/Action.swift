/// Step of a scenario. A plan is a list of actions. Any subset of the list is a valid plan as well, which makes
/// shrinking possible.
public enum Action: Hashable, Sendable {
  /// A user edits an entity, in the program that syncs or in a second program. `choice` determines the edit, and
  /// `number` the text that it writes.
  case edit(device: Int, number: Int, choice: UInt64, besideAgent: Bool = false)
  /// A user runs a command that can be undone, or undoes or redoes a command.
  case command(device: Int, number: Int, choice: UInt64)
  /// A device begins a sync round, which runs concurrently with later actions.
  case sync(device: Int)
  /// Time passes.
  case wait(milliseconds: Int)
  /// A fault affects the device's next request after `afterRequests` other requests.
  case network(device: Int, fault: NetworkFault, afterRequests: Int)
  /// The device loses power just before one of its next disk changes. `loss` determines which unsynced data is lost.
  case crash(device: Int, beforeChange: Int, loss: UInt64)
  /// The hub loses power.
  case crashHub(beforeChange: Int, loss: UInt64)
  /// The device's disk has this many bytes left until `freeDisks`.
  case fillDisk(device: Int, room: Int)
  /// The hub's disk has this many bytes left until `freeDisks`.
  case fillHubDisk(room: Int)
  case freeDisks
  /// The device's date is set to this many hours ahead of real time.
  case setClock(device: Int, hours: Int)
  /// The device's store is backed up.
  case backUpStore(device: Int)
  /// The device's store is restored from its backup. Unsent changes since the backup are lost, and the hub has seen
  /// later sequence numbers.
  case restoreStore(device: Int)
  /// A copy of one device's store replaces another device's store. The two stores then have the same device identity.
  case copyStore(from: Int, to: Int)
  /// The hub is backed up.
  case backUpHub
  case restoreHub
  /// The hub compacts old tombstones.
  case compactHub
  /// The device switches to an old version, which sends no mutations, or back to the current version.
  case install(device: Int, isOld: Bool)
  /// From now on, the devices sync automatically, like a background program.
  case syncByThemselves
  /// The device has no network for this many seconds.
  case outage(device: Int, seconds: Int)
  /// The device's signal stream is closed, or stays open without further signals.
  case loseSignals(device: Int, isSilent: Bool)
  /// The hub limits each device's requests per minute, or stops doing so if `perMinute` is `nil`. `saysWhen` adds a
  /// `Retry-After`.
  case limitRate(perMinute: Int?, saysWhen: Bool)
  /// The system suspends the device's app, or wakes it again. A round in progress continues in the meantime, because
  /// the engine must already have released the store.
  case suspend(device: Int, isOver: Bool)
  /// A newer version writes an entity that this version cannot read, of a known or an unknown kind.
  case writeUnreadable(number: Int, isKnownKind: Bool)
  /// A user requests a snapshot, or skips to the end of the feed.
  case resync(device: Int, isSkip: Bool)
  /// The hub's date is set to this many hours ahead of real time.
  case setHubClock(hours: Int)
  /// The hub restarts several times, with a write after each start.
  case restartHub(times: Int)
  /// The pending mutations of the device are moved to its conflict journal.
  case clearQueue(device: Int, marksFailed: Bool)
  /// A second program on the device's store begins a sync round.
  case syncBeside(device: Int)
  /// A plain REST client writes to the hub.
  case writePlainly(number: Int, choice: UInt64)
  /// Another user of the hub writes entities with the same ids.
  case writeAsStranger(number: Int, choice: UInt64)
  /// The device records this many events in one save.
  case recordMany(device: Int, number: Int, count: Int)
  /// The next response to the device is corrupted.
  case lie(device: Int, choice: UInt64)
  /// One of the user's devices pushes invalid data.
  case pushLies(choice: UInt64)
  /// A device becomes a companion of another device and receives its notices from now on.
  case makeCompanion(Int, of: Int)
  /// A device creates a notice for its companions.
  case tell(device: Int, number: Int)
  /// A device sends its notices and fetches the notices from other devices.
  case carry(device: Int)
  /// Like `network`, for requests that transfer notices.
  case companionNetwork(device: Int, fault: NetworkFault, afterRequests: Int)
  /// Like `crash`, for the device's companion store.
  case crashCompanionStore(device: Int, beforeChange: Int, loss: UInt64)
  /// A fault occurs in one of the hubs' database transactions, after `afterTransactions` other transactions.
  case database(DatabaseFault, afterTransactions: Int)
  /// The database restarts.
  case restartDatabase
  /// Commits no longer wait for the standby.
  case letStandbyFallBehind
  /// The standby takes over from the database server.
  case failOver
  /// A tracker posts a batch of fixes, concurrently with later actions.
  case post(tracker: Int, batch: Int)
  /// A hub runs detection on posted readings, concurrently with later actions.
  case lookThrough
  /// The trackers' user deletes a detected event or adds a note to it.
  case touchFinding(choice: UInt64)
  /// The hub limits the record to its present size plus `room` entries, or removes the limit if `room` is `nil`.
  case limitRecord(room: Int?)
  /// A fault affects the next webhook delivery after `afterPosts` other deliveries.
  case receiver(ReceiverFault, afterPosts: Int)
}

/// Fault in a request.
public enum NetworkFault: Hashable, Sendable {
  /// The request does not reach the hub, and the device gets no response.
  case requestLost
  /// The request takes effect, but the device gets no response.
  case answerLost
  /// The request reaches the hub twice at the same time.
  case doubled
  /// The request reaches the hub again, much later.
  case repeatedLate
  /// The request takes this long.
  case delayed(milliseconds: Int)
  /// The response is truncated after this many thousandths of its length.
  case truncated(thousandths: Int)
  /// The response has this status without reaching the hub. Status 413 applies only to pushes.
  case status(Int, retryAfter: Int?)
  /// A push is rejected as a whole, before or after the hub has processed it. Other requests are unaffected.
  case refused(Int, isJudged: Bool)
  /// The request takes effect, but a gateway responds with 504.
  case gatewayTimeout
  /// The request takes effect, but an intermediary responds with 200 and an HTML page.
  case garbled
}

extension Action: CustomStringConvertible {
  public var description: String {
    switch self {
    case .edit(let device, let number, _, let isBeside):
      "edit \(number) on \(name(device))\(isBeside ? ", in a second program" : "")"
    case .command(let device, let number, _): "command \(number) on \(name(device))"
    case .sync(let device): "\(name(device)) begins a round"
    case .wait(let milliseconds): "\(milliseconds) ms pass"
    case .network(let device, let fault, let requests):
      "\(name(device))'s request \(requests + 1) from now is \(fault)"
    case .crash(let device, let change, _): "\(name(device)) loses power before change \(change) of its disk from now"
    case .crashHub(let change, _): "the hub loses power before change \(change) of its disk from now"
    case .fillDisk(let device, let room): "\(name(device))'s disk has \(room) bytes left"
    case .fillHubDisk(let room): "the hub's disk has \(room) bytes left"
    case .freeDisks: "the disks have space again"
    case .setClock(let device, let hours): "\(name(device))'s date is set \(hours) hours ahead"
    case .backUpStore(let device): "\(name(device))'s store is backed up"
    case .restoreStore(let device): "\(name(device))'s store is restored from its backup"
    case .copyStore(let from, let to): "\(name(to)) gets a copy of \(name(from))'s store"
    case .backUpHub: "the hub is backed up"
    case .restoreHub: "the hub is restored from its backup"
    case .compactHub: "the hub compacts old tombstones"
    case .install(let device, let isOld): "\(name(device)) runs \(isOld ? "an old" : "the present") version"
    case .syncByThemselves: "the devices sync automatically from now on"
    case .outage(let device, let seconds): "\(name(device)) has no network for \(seconds) s"
    case .loseSignals(let device, let isSilent):
      "the signal stream of \(name(device)) \(isSilent ? "sends no further signals" : "is closed")"
    case .limitRate(let limit?, let saysWhen):
      "the hub accepts \(limit) requests a minute per device\(saysWhen ? "" : ", without Retry-After")"
    case .limitRate(nil, _): "the hub accepts every request again"
    case .suspend(let device, let isOver): "\(name(device))'s app is \(isOver ? "active again" : "suspended")"
    case .writeUnreadable(let number, let isKnownKind):
      "a newer version writes future-\(number), of \(isKnownKind ? "a known" : "an unknown") kind"
    case .resync(let device, let isSkip):
      "\(name(device)) \(isSkip ? "skips to the end of the feed" : "loads a snapshot")"
    case .setHubClock(let hours): "the hub's date is set \(hours) hours ahead"
    case .restartHub(let times): "the hub restarts \(times) times with a write after each start"
    case .clearQueue(let device, let marksFailed):
      "\(name(device))'s queue is cleared\(marksFailed ? "" : ", without marking anything")"
    case .syncBeside(let device): "a second program on \(name(device))'s store begins a round"
    case .writePlainly(let number, _): "a plain REST client writes \(number)"
    case .writeAsStranger(let number, _): "another user of the hub writes \(number)"
    case .recordMany(let device, let number, let count):
      "\(name(device)) records \(count) events in one save, as \(number)"
    case .lie(let device, _): "the next response to \(name(device)) is corrupted"
    case .pushLies: "a device pushes invalid data"
    case .makeCompanion(let companion, let tracker): "\(name(companion)) becomes a companion of \(name(tracker))"
    case .tell(let device, let number): "\(name(device)) sends its companions the notice n\(number)"
    case .carry(let device): "\(name(device)) begins to transfer notices"
    case .companionNetwork(let device, let fault, let requests):
      "\(name(device))'s companion request \(requests + 1) from now is \(fault)"
    case .crashCompanionStore(let device, let change, _):
      "\(name(device)) loses power before change \(change) of its companion store from now"
    case .database(let fault, let transactions):
      "the hubs' transaction \(transactions + 1) from now has a fault: \(fault)"
    case .restartDatabase: "the database restarts"
    case .letStandbyFallBehind: "commits no longer wait for the standby"
    case .failOver: "the standby takes over"
    case .post(let tracker, let batch): "tracker \(tracker + 1) posts batch \(batch + 1)"
    case .lookThrough: "a hub runs the detection"
    case .limitRecord(let room?): "the record is full after \(room) more entries"
    case .limitRecord(nil): "the record is no longer limited"
    case .touchFinding: "a user changes or deletes a detected event"
    case .receiver(let fault, let posts):
      "webhook delivery \(posts + 1) from now has a fault: \(fault)"
    }
  }

  private func name(_ device: Int) -> String { deviceName(device) }

  var faultKind: String? {
    switch self {
    case .edit(_, _, _, let isBeside): isBeside ? "second_process" : nil
    case .command, .sync, .wait, .freeDisks, .network, .backUpStore, .backUpHub, .syncByThemselves: nil
    case .setHubClock: "hub_clock_jump"
    case .restartHub: "hub_epochs"
    case .clearQueue: "queue_cleared"
    case .syncBeside: "second_engine"
    case .writePlainly: "plain_write"
    case .writeAsStranger: "stranger"
    case .recordMany: "bulk"
    case .lie: "hub_lied"
    case .pushLies: "device_lied"
    case .makeCompanion: "companion"
    case .tell: "companion_told"
    case .carry, .companionNetwork, .crashCompanionStore, .database, .letStandbyFallBehind, .failOver, .lookThrough,
      .receiver:
      nil
    case .post: "tracker_post"
    case .limitRecord(let room): room == nil ? nil : "record_full"
    case .touchFinding: "finding_touched"
    case .restartDatabase: "database_restarted"
    case .outage: "outage"
    case .loseSignals(_, let isSilent): isSilent ? "signals_silent" : "signals_dropped"
    case .limitRate(let limit, _): limit == nil ? nil : "rate_limit"
    case .suspend(_, let isOver): isOver ? nil : "suspension"
    case .writeUnreadable: "unreadable_entry"
    case .resync: "resync"
    case .compactHub: "compaction"
    case .crash: "device_crash"
    case .crashHub: "hub_crash"
    case .fillDisk: "device_disk_full"
    case .fillHubDisk: "hub_disk_full"
    case .setClock: "clock_jump"
    case .restoreStore: "store_restored"
    case .copyStore: "store_copied"
    case .restoreHub: "hub_restored"
    case .install(_, let isOld): isOld ? "old_version" : nil
    }
  }
}

extension NetworkFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .requestLost: "lost"
    case .answerLost: "processed without a response"
    case .doubled: "sent twice"
    case .repeatedLate: "sent again much later"
    case .delayed(let milliseconds): "delayed by \(milliseconds) ms"
    case .truncated(let thousandths): "truncated after \(thousandths) thousandths"
    case .status(let status, _): "answered \(status)"
    case .refused(let status, let isJudged): "\(isJudged ? "processed and then " : "")rejected with \(status)"
    case .gatewayTimeout: "processed, with response 504"
    case .garbled: "processed, with an HTML page as the response"
    }
  }

  var kind: String {
    switch self {
    case .requestLost: "request_lost"
    case .answerLost: "answer_lost"
    case .doubled: "request_doubled"
    case .repeatedLate: "request_repeated_late"
    case .delayed: "delay"
    case .truncated: "answer_truncated"
    case .status(let status, _): "status_\(status)"
    case .refused(let status, let isJudged): "refused_\(status)\(isJudged ? "_after_effect" : "")"
    case .gatewayTimeout: "status_504_after_effect"
    case .garbled: "answer_garbled"
    }
  }
}

func deviceName(_ device: Int) -> String {
  if device < 0 { return "a plain REST client" }
  return device < 26 ? String(UnicodeScalar(UInt8(ascii: "A") + UInt8(device))) : "device \(device)"
}
