/// One thing that happens in a story. A plan is a list of them: any part of the list is a plan too, and that is how a story is
/// shrunk.
public enum Action: Hashable, Sendable {
  /// A person does something on a device, in the program that syncs or in another beside it; the choice decides what, and the
  /// number is the text that it leaves behind.
  case edit(device: Int, number: Int, choice: UInt64, besideAgent: Bool = false)
  /// A person does something on a device as a command does, which can be taken back, or takes such things back or does them again.
  case command(device: Int, number: Int, choice: UInt64)
  /// A device begins a round, which goes on while other things happen.
  case sync(device: Int)
  /// Time passes.
  case wait(milliseconds: Int)
  /// Something happens to the device's next request, or to the one after so many others.
  case network(device: Int, fault: NetworkFault, afterRequests: Int)
  /// Power goes before the device's so many-th change of its disk from now; what was not synced is lost as the seed says.
  case crash(device: Int, beforeChange: Int, loss: UInt64)
  case crashHub(beforeChange: Int, loss: UInt64)
  /// The device's disk holds only so many bytes more, until `freeDisk`.
  case fillDisk(device: Int, room: Int)
  case fillHubDisk(room: Int)
  case freeDisks
  /// The device's date is set to be so many hours ahead of the world's, or behind.
  case setClock(device: Int, hours: Int)
  /// The device's store is put aside, as it lies on the disk.
  case backUpStore(device: Int)
  /// What was put aside takes the store's place: what was recorded since and not sent is gone, and the hub knows more than the store.
  case restoreStore(device: Int)
  /// A copy of one device's store takes the place of another's: two stores are one device to the hub.
  case copyStore(from: Int, to: Int)
  case backUpHub
  case restoreHub
  /// The hub shrinks what was deleted long ago.
  case compactHub
  /// From here on the device runs a version that knows the plain operations only, or the present one.
  case install(device: Int, isOld: Bool)
  /// From here on the devices sync by themselves, as a program that runs in the background does.
  case syncByThemselves
  /// For so long none of the device's requests gets anywhere.
  case outage(device: Int, seconds: Int)
  /// The stream of signals to a device breaks off, or stays open and says nothing more.
  case loseSignals(device: Int, isSilent: Bool)
  /// From here on the hub takes so many requests a minute of each device, no limit where it is `nil`, and tells whoever asks for
  /// more when to come back, or not.
  case limitRate(perMinute: Int?, saysWhen: Bool)
  /// A newer version writes something that this one cannot read, of a kind that it knows or of another.
  case writeUnreadable(number: Int, isKnownKind: Bool)
  /// A person has the device take everything anew, or go to the end of a long feed.
  case resync(device: Int, isSkip: Bool)
  /// The hub's date is set to be so many hours ahead of the world's, or behind.
  case setHubClock(hours: Int)
  /// The hub is started again so many times, and in each life something is written.
  case restartHub(times: Int)
  /// All that waits on the device goes to its journal.
  case clearQueue(device: Int, marksFailed: Bool)
  /// Another program on the device's store begins a round.
  case syncBeside(device: Int)
  /// One who knows no versions writes to the hub.
  case writePlainly(number: Int, choice: UInt64)
  /// Another person at the same hub writes under ids that are used here.
  case writeAsStranger(number: Int, choice: UInt64)
  /// A device records so many events in one save.
  case recordMany(device: Int, number: Int, count: Int)
  /// The next answer to the device is not true.
  case lie(device: Int, choice: UInt64)
  /// A device of the person's that keeps to nothing pushes.
  case pushLies(choice: UInt64)
  /// A device becomes the companion of another, which tells it things from then on.
  case makeCompanion(Int, of: Int)
  /// A device tells its companions something.
  case tell(device: Int, number: Int)
  /// A device carries what it tells its companions, and what it is told as one.
  case carry(device: Int)
  /// As `network`, of the requests that carry what companions are told.
  case companionNetwork(device: Int, fault: NetworkFault, afterRequests: Int)
  /// As `crash`, before a change of what the device keeps for companions.
  case crashCompanionStore(device: Int, beforeChange: Int, loss: UInt64)
  /// Something happens to the hubs' next transaction on their database, or to the one after so many others.
  case database(DatabaseFault, afterTransactions: Int)
  /// The database is started again.
  case restartDatabase
  /// From here on commits do not wait for the standby.
  case letStandbyFallBehind
  /// The standby takes the place of the database's server.
  case failOver
  /// A tracker posts a piece of its day, which goes on while other things happen.
  case post(tracker: Int, batch: Int)
  /// A hub looks through what was posted, which goes on while other things happen.
  case lookThrough
  /// The person whose trackers post deletes a finding, or writes something into it.
  case touchFinding(choice: UInt64)
  /// From here on the hub keeps no more of the record than it has and so many entries, or as much as comes where it is `nil`.
  case limitRecord(room: Int?)
  /// Something happens to the next delivery to a webhook, or to the one after so many others.
  case receiver(ReceiverFault, afterPosts: Int)
}

/// What can happen to one request.
public enum NetworkFault: Hashable, Sendable {
  /// It never reaches the hub, and the device hears nothing.
  case requestLost
  /// It has its effect, and the device hears nothing.
  case answerLost
  /// It reaches the hub twice at once.
  case doubled
  /// It reaches the hub again, much later.
  case repeatedLate
  /// It takes so long, there and back.
  case delayed(milliseconds: Int)
  /// The answer breaks off after so many thousandths of it.
  case truncated(thousandths: Int)
  /// The answer is this status, and the hub was never asked. 413 is the answer to pushes only.
  case status(Int, retryAfter: Int?)
  /// A push is refused as a whole, after the hub judged it or without. Other requests are left alone.
  case refused(Int, isJudged: Bool)
  /// The hub does it, and something on the way answers 504.
  case gatewayTimeout
  /// The hub does it, and something on the way answers 200 with a page of its own.
  case garbled
}

extension Action: CustomStringConvertible {
  public var description: String {
    switch self {
    case .edit(let device, let number, _, let isBeside):
      "edit \(number) on \(name(device))\(isBeside ? ", beside the program that syncs" : "")"
    case .command(let device, let number, _): "command \(number) on \(name(device))"
    case .sync(let device): "\(name(device)) begins a round"
    case .wait(let milliseconds): "\(milliseconds) ms pass"
    case .network(let device, let fault, let requests):
      "of \(name(device))'s requests, number \(requests + 1) from now is \(fault)"
    case .crash(let device, let change, _): "\(name(device)) loses power before change \(change) of its disk from now"
    case .crashHub(let change, _): "the hub loses power before change \(change) of its disk from now"
    case .fillDisk(let device, let room): "\(name(device))'s disk has room for \(room) bytes more"
    case .fillHubDisk(let room): "the hub's disk has room for \(room) bytes more"
    case .freeDisks: "the disks have room again"
    case .setClock(let device, let hours): "\(name(device))'s date is set \(hours) hours ahead"
    case .backUpStore(let device): "\(name(device))'s store is backed up"
    case .restoreStore(let device): "\(name(device))'s store is restored from its backup"
    case .copyStore(let from, let to): "\(name(to)) gets a copy of \(name(from))'s store"
    case .backUpHub: "the hub is backed up"
    case .restoreHub: "the hub is restored from its backup"
    case .compactHub: "the hub shrinks what was deleted long ago"
    case .install(let device, let isOld): "\(name(device)) runs \(isOld ? "an old" : "the present") version"
    case .syncByThemselves: "the devices sync by themselves from now on"
    case .outage(let device, let seconds): "\(name(device)) has no network for \(seconds) s"
    case .loseSignals(let device, let isSilent):
      "the stream of signals to \(name(device)) \(isSilent ? "falls silent" : "breaks off")"
    case .limitRate(let limit?, let saysWhen):
      "the hub takes \(limit) requests a minute of each device\(saysWhen ? "" : ", and does not say when to come back")"
    case .limitRate(nil, _): "the hub takes every request again"
    case .writeUnreadable(let number, let isKnownKind):
      "a newer version writes future-\(number), \(isKnownKind ? "of a kind that is known" : "of a kind of its own")"
    case .resync(let device, let isSkip):
      "\(name(device)) \(isSkip ? "goes to the end of the feed" : "takes everything anew")"
    case .setHubClock(let hours): "the hub's date is set \(hours) hours ahead"
    case .restartHub(let times): "the hub is started again, \(times) times, and each life writes something"
    case .clearQueue(let device, let marksFailed):
      "\(name(device))'s queue is cleared\(marksFailed ? "" : ", and nothing marked")"
    case .syncBeside(let device): "another program on \(name(device))'s store begins a round"
    case .writePlainly(let number, _): "someone who knows no versions writes \(number)"
    case .writeAsStranger(let number, _): "another person at the hub writes \(number)"
    case .recordMany(let device, let number, let count): "\(name(device)) records \(count) events at once, as \(number)"
    case .lie(let device, _): "the next answer to \(name(device)) is not true"
    case .pushLies: "a device that keeps to nothing pushes"
    case .makeCompanion(let companion, let tracker): "\(name(companion)) becomes a companion of \(name(tracker))"
    case .tell(let device, let number): "\(name(device)) tells its companions n\(number)"
    case .carry(let device): "\(name(device)) begins to carry what companions are told"
    case .companionNetwork(let device, let fault, let requests):
      "of \(name(device))'s requests for companions, number \(requests + 1) from now is \(fault)"
    case .crashCompanionStore(let device, let change, _):
      "\(name(device)) loses power before change \(change) of its companions' store from now"
    case .database(let fault, let transactions):
      "of the hubs' transactions, number \(transactions + 1) from now meets this: \(fault)"
    case .restartDatabase: "the database is started again"
    case .letStandbyFallBehind: "commits do not wait for the standby any more"
    case .failOver: "the standby takes the place of the server"
    case .post(let tracker, let batch): "tracker \(tracker + 1) posts piece \(batch + 1) of its day"
    case .lookThrough: "a hub looks through what was posted"
    case .limitRecord(let room?): "the record is full with \(room) entries more"
    case .limitRecord(nil): "the record has room again"
    case .touchFinding: "a person changes or deletes what was found"
    case .receiver(let fault, let posts):
      "of the deliveries to a webhook, number \(posts + 1) from now meets this: \(fault)"
    }
  }

  private func name(_ device: Int) -> String { deviceName(device) }

  /// What it counts as among the faults; `nil` for what is none.
  var faultKind: String? {
    switch self {
    case .edit(_, _, _, let isBeside): isBeside ? "second_process" : nil
    case .command, .sync, .wait, .freeDisks, .network, .backUpStore, .backUpHub, .syncByThemselves: nil
    case .setHubClock: "hub_clock_jump"
    case .restartHub: "hub_lives"
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
    case .requestLost: "lost on the way"
    case .answerLost: "answered, and the answer lost"
    case .doubled: "sent twice"
    case .repeatedLate: "sent again much later"
    case .delayed(let milliseconds): "delayed by \(milliseconds) ms, there and back"
    case .truncated(let thousandths): "answered, and cut off after \(thousandths) thousandths"
    case .status(let status, _): "answered \(status)"
    case .refused(let status, let isJudged): "\(isJudged ? "carried out, and " : "")answered \(status) as a whole"
    case .gatewayTimeout: "carried out, and answered 504"
    case .garbled: "carried out, and answered with a page of something else"
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

/// A, B, C, …
func deviceName(_ device: Int) -> String {
  if device < 0 { return "a program that knows no versions" }
  return device < 26 ? String(UnicodeScalar(UInt8(ascii: "A") + UInt8(device))) : "device \(device)"
}
