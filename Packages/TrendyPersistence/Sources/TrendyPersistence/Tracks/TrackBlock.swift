/// Encodes up to a few hundred readings from a device, in a few bytes each (docs/format-rows.md, "A track log").
///
/// Numbers are stored as differences from values predicted from earlier readings, in the largest unit that divides all
/// values in the block.
enum TrackBlock {
  /// Maximum number of readings in a block. Readings with the same timestamp stay together, so a block can have a few
  /// more.
  static let limit = 256
  static let version: UInt8 = 1

  struct Malformed: Error {}

  /// Tags in addition to the tags in ``TrackEntry/Slot``, for a fix together with a motion sample taken at the same
  /// time. The sample either repeats the previous sample or is new.
  private static let fixAndSameMotion: UInt8 = 6
  private static let fixAndMotion: UInt8 = 7

  /// Encodes readings, which must be in ascending order. At least one is required.
  static func encode(_ entries: [TrackEntry]) -> [UInt8] {
    // Encode twice, assuming constant positions and extrapolated positions, and use the shorter result.
    let standing = encode(entries, isMoving: false)
    let moving = encode(entries, isMoving: true)
    return moving.count < standing.count ? moving : standing
  }

  private static func encode(_ entries: [TrackEntry], isMoving: Bool) -> [UInt8] {
    let units = Units(entries)
    var writer = ByteWriter()
    writer.bytes.append(version)
    writer.bytes.append(isMoving ? 1 : 0)
    writer.bytes.append(UInt8(units.time | units.place << 4))
    writer.bytes.append(UInt8(units.accuracy | units.altitude << 4))
    writer.bytes.append(UInt8(units.speed | units.course << 4))
    let start = entries[0].time
    writer.number(UInt64(entries.count))
    writer.number(UInt64(entries[entries.count - 1].time - start))
    var state = DeltaPredictor(start: start, isMoving: isMoving)
    var index = 0
    while index < entries.count {
      var entry = entries[index]
      var kind = entry.slot.rawValue
      if entry.slot == .motion, index + 1 < entries.count, entries[index + 1].slot == .fix,
        entries[index + 1].time == entry.time
      {
        // The motion sample that accompanies a fix usually repeats the last sample.
        kind = entry.motion == state.motion ? fixAndSameMotion : fixAndMotion
        let motion = entry.motion
        index += 1
        entry = entries[index]
        entry.motion = motion
      }
      index += 1
      let tag = kind | state.changes(of: entry)
      writer.bytes.append(tag)
      writer.signed((entry.time - state.expectedTime) / Units.power(units.time))
      state.advance(to: entry.time, isFix: entry.slot == .fix)
      if kind == TrackEntry.Slot.motion.rawValue || kind == fixAndMotion {
        writer.bytes.append(entry.motion)
        state.motion = entry.motion
      }
      guard entry.slot == .fix else { continue }
      entry.motion = 0
      let place = Units.power(units.place)
      let expected = state.expectedPlace(unit: place)
      writer.signed((entry.latitude - expected.latitude) / place)
      writer.signed((entry.longitude - expected.longitude) / place)
      func optional(_ value: Int64?, _ last: Int64?, _ exponent: Int) {
        // 0 means that the value is unknown.
        guard let value else { return writer.number(0) }
        writer.number(ByteWriter.zigzag((value - (last ?? 0)) / Units.power(exponent)) + 1)
      }
      if tag & DeltaPredictor.accuracyChanged != 0 { optional(entry.accuracy, state.fix?.accuracy, units.accuracy) }
      if tag & DeltaPredictor.altitudeChanged != 0 { optional(entry.altitude, state.fix?.altitude, units.altitude) }
      if tag & DeltaPredictor.speedChanged != 0 { optional(entry.speed, state.fix?.speed, units.speed) }
      if tag & DeltaPredictor.courseChanged != 0 { optional(entry.course, state.fix?.course, units.course) }
      state.take(entry)
    }
    return writer.bytes
  }

  static func extent(_ bytes: UnsafeRawBufferPointer, start: Int64) throws(Malformed) -> (count: Int, end: Int64) {
    var reader = try ByteReader(header: bytes)
    return try reader.extent(start: start)
  }

  static func decode(_ bytes: UnsafeRawBufferPointer, start: Int64) throws(Malformed) -> [TrackEntry] {
    var reader = try ByteReader(header: bytes)
    let units = Units(
      time: Int(bytes[2] & 15), place: Int(bytes[2] >> 4), accuracy: Int(bytes[3] & 15), altitude: Int(bytes[3] >> 4),
      speed: Int(bytes[4] & 15), course: Int(bytes[4] >> 4))
    guard units.isValid else { throw Malformed() }
    let (count, end) = try reader.extent(start: start)
    var state = DeltaPredictor(start: start, isMoving: bytes[1] & 1 != 0)
    var entries: [TrackEntry] = []
    entries.reserveCapacity(count)
    func add(_ entry: TrackEntry) throws(Malformed) {
      guard entries.last.map({ $0 < entry }) ?? (entry.time == start) else { throw Malformed() }
      entries.append(entry)
    }
    while entries.count < count {
      let tag = try reader.byte()
      let kind = tag & 7
      let time = state.expectedTime &+ (try reader.signed() &* Units.power(units.time))
      guard (start...end).contains(time) else { throw Malformed() }
      let slot = kind >= fixAndSameMotion ? TrackEntry.Slot.fix : TrackEntry.Slot(rawValue: kind) ?? .fix
      state.advance(to: time, isFix: slot == .fix)
      var entry = TrackEntry(time: time, slot: slot)
      if slot == .motion || kind == fixAndMotion {
        state.motion = try reader.byte()
        guard state.motion < TrackEntry.motions else { throw Malformed() }
      }
      if slot == .motion || kind >= fixAndSameMotion {
        var motion = TrackEntry(time: time, slot: .motion)
        motion.motion = state.motion
        try add(motion)
      }
      if slot == .fix {
        let place = Units.power(units.place)
        let expected = state.expectedPlace(unit: place)
        entry.latitude = expected.latitude &+ (try reader.signed() &* place)
        entry.longitude = expected.longitude &+ (try reader.signed() &* place)
        guard (-900_000_000...900_000_000).contains(entry.latitude),
          (-1_800_000_000...1_800_000_000).contains(entry.longitude)
        else { throw Malformed() }
        func optional(_ mask: UInt8, _ last: Int64?, _ exponent: Int) throws(Malformed) -> Int64? {
          guard tag & mask != 0 else { return last }
          let number = try reader.number()
          guard number > 0 else { return nil }
          let value = (last ?? 0) &+ ByteReader.unzigzag(number - 1) &* Units.power(exponent)
          guard (-TrackEntry.largest...TrackEntry.largest).contains(value) else { throw Malformed() }
          return value
        }
        entry.accuracy = try optional(DeltaPredictor.accuracyChanged, state.fix?.accuracy, units.accuracy)
        entry.altitude = try optional(DeltaPredictor.altitudeChanged, state.fix?.altitude, units.altitude)
        entry.speed = try optional(DeltaPredictor.speedChanged, state.fix?.speed, units.speed)
        entry.course = try optional(DeltaPredictor.courseChanged, state.fix?.course, units.course)
        state.take(entry)
      }
      if slot != .motion { try add(entry) }
    }
    guard reader.isAtEnd, entries.count == count, entries.last?.time == end else { throw Malformed() }
    return entries
  }
}

/// Units in a block: for each kind of value, the exponent of the largest power of ten that divides all of its values.
private struct Units {
  var time: Int
  var place: Int
  var accuracy: Int
  var altitude: Int
  var speed: Int
  var course: Int

  private static let powers: [Int64] = [1, 10, 100, 1000, 10_000, 100_000]
  static func power(_ exponent: Int) -> Int64 { powers[exponent] }

  var isValid: Bool { [time, place, accuracy, altitude, speed, course].allSatisfy { $0 < Self.powers.count } }

  init(time: Int, place: Int, accuracy: Int, altitude: Int, speed: Int, course: Int) {
    self.time = time
    self.place = place
    self.accuracy = accuracy
    self.altitude = altitude
    self.speed = speed
    self.course = course
  }

  init(_ entries: [TrackEntry]) {
    let fixes = entries.filter { $0.slot == .fix }
    func largest(_ values: some Sequence<Int64>) -> Int {
      var exponent = Self.powers.count - 1
      for value in values { while value % Self.powers[exponent] != 0 { exponent -= 1 } }
      return exponent
    }
    // Times are relative to the first, which is the sort value of the row.
    time = largest(entries.lazy.map { $0.time - entries[0].time })
    place = largest(fixes.lazy.flatMap { [$0.latitude, $0.longitude] })
    accuracy = largest(fixes.lazy.compactMap(\.accuracy))
    altitude = largest(fixes.lazy.compactMap(\.altitude))
    speed = largest(fixes.lazy.compactMap(\.speed))
    course = largest(fixes.lazy.compactMap(\.course))
  }
}

/// Predicts the next reading from earlier readings. Encoder and decoder make the same predictions.
private struct DeltaPredictor {
  static let accuracyChanged: UInt8 = 8
  static let altitudeChanged: UInt8 = 16
  static let speedChanged: UInt8 = 32
  static let courseChanged: UInt8 = 64

  /// Last motion sample, as in ``TrackEntry/motion``.
  var motion: UInt8 = 0
  private(set) var fix: TrackEntry?
  private var time: Int64
  private var fixTime: Int64
  private var fixStep: Int64 = 0
  private let isMoving: Bool
  private var before: TrackEntry?

  init(start: Int64, isMoving: Bool) {
    time = start
    fixTime = start
    self.isMoving = isMoving
  }

  /// Expected time of the next reading. Fixes are expected at a constant interval. After any other reading, the next
  /// reading is expected at the same time.
  var expectedTime: Int64 { time > fixTime ? time : fixTime &+ fixStep }

  mutating func advance(to time: Int64, isFix: Bool) {
    self.time = time
    guard isFix else { return }
    fixStep = time - fixTime
    fixTime = time
  }

  mutating func take(_ entry: TrackEntry) {
    before = fix
    fix = entry
  }

  func changes(of entry: TrackEntry) -> UInt8 {
    guard entry.slot == .fix else { return 0 }
    var tag: UInt8 = 0
    if entry.accuracy != fix?.accuracy { tag |= Self.accuracyChanged }
    if entry.altitude != fix?.altitude { tag |= Self.altitudeChanged }
    if entry.speed != fix?.speed { tag |= Self.speedChanged }
    if entry.course != fix?.course { tag |= Self.courseChanged }
    return tag
  }

  /// Returns the expected position of the next fix: the last position, or an extrapolation over the elapsed time.
  /// Extrapolated differences are multiples of the block's unit.
  func expectedPlace(unit: Int64) -> (latitude: Int64, longitude: Int64) {
    guard let fix else { return (0, 0) }
    guard isMoving, let before, fix.time > before.time, time - fix.time <= 120_000 else {
      return (fix.latitude, fix.longitude)
    }
    func ahead(_ last: Int64, _ earlier: Int64) -> Int64 {
      last + (last - earlier) * (time - fix.time) / (fix.time - before.time) / unit * unit
    }
    return (ahead(fix.latitude, before.latitude), ahead(fix.longitude, before.longitude))
  }
}

private struct ByteWriter {
  var bytes: [UInt8] = []

  static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }

  mutating func signed(_ value: Int64) { number(Self.zigzag(value)) }

  /// Appends a number, seven bits per byte, lowest bits first. The top bit is set in all bytes except the last.
  mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

private struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private var position: Int

  init(header bytes: UnsafeRawBufferPointer) throws(TrackBlock.Malformed) {
    guard bytes.count >= 7, bytes[0] == TrackBlock.version else { throw TrackBlock.Malformed() }
    self.bytes = bytes
    position = 5
  }

  var isAtEnd: Bool { position == bytes.count }

  static func unzigzag(_ value: UInt64) -> Int64 { Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }

  mutating func extent(start: Int64) throws(TrackBlock.Malformed) -> (count: Int, end: Int64) {
    let count = try number()
    let span = try number()
    // A reading has at least two bytes, so a larger count is invalid.
    guard count > 0, count <= UInt64(bytes.count), span <= 1 << 48 else { throw TrackBlock.Malformed() }
    let (end, isOutOfRange) = start.addingReportingOverflow(Int64(span))
    guard !isOutOfRange else { throw TrackBlock.Malformed() }
    return (Int(count), end)
  }

  mutating func byte() throws(TrackBlock.Malformed) -> UInt8 {
    guard position < bytes.count else { throw TrackBlock.Malformed() }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func signed() throws(TrackBlock.Malformed) -> Int64 { Self.unzigzag(try number()) }

  mutating func number() throws(TrackBlock.Malformed) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      guard shift < 63 || byte < 2 else { throw TrackBlock.Malformed() }
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
      shift += 7
    }
  }
}
