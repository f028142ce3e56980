public import TrendyFoundation
public import TrendyModels

/// One thing that a device told: where it was, how it moved, or that a drive began or was over.
public enum TrackReading: Hashable, Sendable {
  case fix(Location)
  case motion(MotionActivity)
  case call(TripCall)

  /// When it was so, not when it arrived.
  public var timestamp: Date {
    switch self {
    case .fix(let location): location.timestamp
    case .motion(let activity): activity.timestamp
    case .call(let call): call.timestamp
    }
  }
}

/// A word of a car, a phone or a person about a drive, which needs no finding out.
public struct TripCall: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// It begins, or goes on.
    case start
    /// It stopped; within the resume window it may go on.
    case end
    /// It is over.
    case finalize
    /// There was none.
    case cancel
  }

  public var kind: Kind
  public var timestamp: Date

  public init(kind: Kind, timestamp: Date) {
    self.kind = kind
    self.timestamp = timestamp
  }
}

/// Keeps what devices told, for good: never synced, never dropped, once for each device, moment and kind of reading.
///
/// Times are kept to the millisecond, places to 1e-7 degrees, lengths and speeds to a centimetre, courses to a hundredth of a
/// degree. Beside the readings lies what was made of them (``TrackNote``), so that both change in one step.
public protocol TrackStore: Sendable {
  /// Adds readings in any order; durable on return. What is there already, or has no place or no time, is counted and left out. Of
  /// two fixes of one moment the surer one stays, whichever came first.
  func append(_ readings: [TrackReading], device: String) throws -> TrackAppend

  /// Those of whom anything was kept, by name.
  func devices() throws -> [TrackDevice]

  /// The readings of a device after one moment up to and with another, in their order: by time; of one moment motion comes
  /// first, then the fix, then calls. What lies outside is not loaded.
  func forEach(
    device: String, after: Date?, through: Date?, _ body: (TrackReading) throws -> Void
  ) throws

  /// Runs `body` while nobody else does, in this process or another: who makes notes of readings does it here. Adding readings
  /// goes on meanwhile.
  func withReader<Result>(_ body: () throws -> Result) throws -> Result

  /// From when on readings were added that nobody said to have read; `nil` where all are read.
  func unread(device: String) throws -> TrackUnread?

  /// Notes of a kind with a time after `after`, up to and with `through`, by time; `isDescending` for the last ones first.
  func notes(
    _ kind: TrackNote.Kind, device: String, after: Date?, through: Date?, isDescending: Bool, limit: Int
  ) throws -> [TrackNote]

  /// The note of this kind and id, with its device.
  func note(_ kind: TrackNote.Kind, id: String) throws -> (device: String, note: TrackNote)?

  /// Puts and removes notes in one step; durable on return.
  func commit(_ changes: TrackChanges, device: String) throws
}

extension TrackStore {
  /// Notes of a kind with a time after `after`, by time; `isDescending` for the last ones first.
  public func notes(
    _ kind: TrackNote.Kind, device: String, after: Date?, isDescending: Bool, limit: Int
  ) throws -> [TrackNote] {
    try notes(kind, device: device, after: after, through: nil, isDescending: isDescending, limit: limit)
  }
}

/// A device of a track store.
public struct TrackDevice: Hashable, Sendable {
  public var name: String
  public var firstTime: Date
  public var lastTime: Date

  public init(name: String, firstTime: Date, lastTime: Date) {
    self.name = name
    self.firstTime = firstTime
    self.lastTime = lastTime
  }
}

/// What became of readings that were to be added.
public struct TrackAppend: Hashable, Sendable {
  public var added = 0
  /// Held before.
  public var known = 0
  /// Without a place on earth or a time that can be kept.
  public var invalid = 0

  public init() {}
}

/// That there is something to read.
public struct TrackUnread: Hashable, Sendable {
  /// The time of the earliest reading that was added.
  public var since: Date
  /// The time of the latest; `nil` where that is not known, as after everything was to be read again.
  public var through: Date?
  /// Rises with every adding.
  public var generation: UInt64

  public init(since: Date, through: Date? = nil, generation: UInt64) {
    self.since = since
    self.through = through
    self.generation = generation
  }
}

/// Something that was made of a device's readings.
public struct TrackNote: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The state of what reads, as of a time.
    case checkpoint
    /// A trip or a visit that was found.
    case finding
  }

  public var kind: Kind
  /// 1 to 128 bytes, its own within its kind.
  public var id: String
  public var time: Date
  /// Whatever its owner means by it.
  public var content: [UInt8]

  public init(kind: Kind, id: String, time: Date, content: [UInt8]) {
    self.kind = kind
    self.id = id
    self.time = time
    self.content = content
  }
}

/// Notes to be put and removed in one step.
public struct TrackChanges: Hashable, Sendable {
  public var put: [TrackNote] = []
  /// Ids of notes to be taken away; what is not there is no error.
  public var removedCheckpoints: [String] = []
  public var removedFindings: [String] = []
  /// All up to this adding was read. What was added later stays unread.
  public var readThrough: UInt64?
  /// Everything is to be read again from this moment on.
  public var unreadSince: Date?

  public init() {}
}
