public import TrendyFoundation
public import TrendyModels

/// Reading from a device: a fix, a motion sample or a trip command.
public enum TrackReading: Hashable, Sendable {
  case fix(Location)
  case motion(MotionActivity)
  case call(TripCommand)

  /// Time of the measurement or the command rather than of its arrival.
  public var timestamp: Date {
    switch self {
    case .fix(let location): location.timestamp
    case .motion(let activity): activity.timestamp
    case .call(let call): call.timestamp
    }
  }
}

/// Trip command from a car, a phone or the user. Takes precedence over detection.
public struct TripCommand: Hashable, Sendable {
  /// Effect of the command on the trip.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Starts or resumes a trip.
    case start
    /// Ends a trip, which can be resumed within the resume window.
    case end
    /// Ends a trip permanently.
    case finalize
    /// Discards the trip.
    case cancel
  }

  public var kind: Kind
  public var timestamp: Date

  public init(kind: Kind, timestamp: Date) {
    self.kind = kind
    self.timestamp = timestamp
  }
}

/// Permanent local log of readings from all devices, stored with the results of detection (``TrackNote``). Not synced.
///
/// A device has at most one reading of each kind at any timestamp. Values are stored with limited resolution:
/// timestamps 1 ms, coordinates 1e-7 degrees, lengths 1 cm, speeds 1 cm/s, headings 0.01 degrees.
public protocol TrackStore: Sendable {
  /// Adds readings in any order. The readings are durable when this returns.
  ///
  /// Duplicates, and readings without a valid position or time, are counted and skipped. Of two fixes with the same
  /// timestamp, the more accurate fix is stored regardless of the order of arrival.
  func append(_ readings: [TrackReading], device: String) throws -> TrackAppend

  /// Returns all devices with readings, ordered by name.
  func devices() throws -> [TrackDevice]

  /// Calls `body` for each reading with `after` < time ≤ `through`, ordered by time. At equal times motion comes first,
  /// then the fix, then commands. Readings outside the range are not loaded.
  func forEach(
    device: String, after: Date?, through: Date?, _ body: (TrackReading) throws -> Void
  ) throws

  /// Runs `body` under the detection lock, which excludes other threads and processes. Notes must be written inside
  /// `body`, while readings can be appended at any time.
  func withReader<Result>(_ body: () throws -> Result) throws -> Result

  /// Returns the range of appended readings not reported as read yet, or `nil` if there are none.
  func unread(device: String) throws -> TrackUnread?

  /// Returns up to `limit` notes of a kind with `after` < time ≤ `through`, ordered by time, or latest first if
  /// `isDescending`.
  func notes(
    _ kind: TrackNote.Kind, device: String, after: Date?, through: Date?, isDescending: Bool, limit: Int
  ) throws -> [TrackNote]

  /// Returns the note with this kind and id, and the name of its device, or `nil`.
  func note(_ kind: TrackNote.Kind, id: String) throws -> (device: String, note: TrackNote)?

  /// Inserts and removes notes atomically. The changes are durable when this returns.
  func commit(_ changes: TrackChanges, device: String) throws
}

extension TrackStore {
  /// Returns up to `limit` notes of a kind after `after`, ordered by time, or latest first if `isDescending`.
  public func notes(
    _ kind: TrackNote.Kind, device: String, after: Date?, isDescending: Bool, limit: Int
  ) throws -> [TrackNote] {
    try notes(kind, device: device, after: after, through: nil, isDescending: isDescending, limit: limit)
  }
}

/// Device in a track store, with the times of its first and last readings.
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

/// Counts of readings passed to ``TrackStore/append(_:device:)``.
public struct TrackAppend: Hashable, Sendable {
  public var added = 0
  /// Number of duplicates.
  public var known = 0
  /// Number of readings without a valid position or without a storable time.
  public var invalid = 0

  public init() {}
}

/// Range of readings that detection has not read.
public struct TrackUnread: Hashable, Sendable {
  /// Time of the earliest unread reading.
  public var since: Date
  /// Time of the latest unread reading, or `nil` if unknown, for example if everything must be read again.
  public var through: Date?
  /// Counter that increases with every append.
  public var generation: UInt64

  public init(since: Date, through: Date? = nil, generation: UInt64) {
    self.since = since
    self.through = through
    self.generation = generation
  }
}

/// Result of detection, stored with the readings of its device.
public struct TrackNote: Hashable, Sendable {
  /// Kind of result.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// State of detection at a point in time, from which it can resume.
    case checkpoint
    /// Detected trip or visit.
    case finding
  }

  public var kind: Kind
  /// Identifier of 1 to 128 bytes, unique within its kind.
  public var id: String
  public var time: Date
  /// Content in the writer's format, opaque to the store.
  public var content: [UInt8]

  public init(kind: Kind, id: String, time: Date, content: [UInt8]) {
    self.kind = kind
    self.id = id
    self.time = time
    self.content = content
  }
}

/// Notes to insert and remove in one step.
public struct TrackChanges: Hashable, Sendable {
  /// Notes to insert, replacing those with the same kind and id.
  public var put: [TrackNote] = []
  /// Ids of checkpoints to remove. Missing checkpoints are ignored.
  public var removedCheckpoints: [String] = []
  /// Ids of detected trips and visits to remove. Missing ids are ignored.
  public var removedFindings: [String] = []
  /// Generation up to which all readings have been read. Readings appended later remain unread.
  public var readThrough: UInt64?
  /// Time from which all readings must be read again.
  public var unreadSince: Date?

  public init() {}
}
