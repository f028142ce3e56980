import TrendyModels

/// Cached counts of one segment for a time zone and start of day. Segments are immutable, so each segment is counted
/// only once.
///
/// A missing or damaged file is rewritten, because its content can be computed from the store. Numbers are
/// little-endian. The 64-byte header contains the magic number, the version, the store id, the segment's number and
/// checksum, a hash of the time zone and start of day, and the length of the file. The types follow, each with its id,
/// days and minutes. The last 8 bytes are the XXH64 of everything before them.
struct DailyCountsFile {
  private static let magic: UInt64 = 0x6C74_7964_6E65_7274  // "trendytl"
  private static let version: UInt64 = 1
  private static let headerBytes = 64
  private static let minutes = 1440

  let path: String
  private let header: [UInt64]
  private let fileSystem: any FileSystem

  /// Creates the path and header of the file. `basis` is the hash returned by ``basis(_:)``.
  init(of part: SegmentPart, basis: UInt64, directory: String, fileSystem: any FileSystem) {
    let reference = part.segment.reference
    path = "\(directory)/\(Self.prefix(part.storeID))\(reference.number)-\(String(basis, radix: 16)).tally"
    header = [Self.magic, Self.version, part.storeID, reference.number, reference.checksum, basis]
    self.fileSystem = fileSystem
  }

  static func prefix(_ storeID: UInt64) -> String { "\(String(storeID, radix: 16))-" }

  /// Returns a hash of the time zone and start of day. Returns `nil` for a zone without a name, because its files could
  /// not be distinguished from those of other zones.
  static func basis(_ local: LocalTime) -> UInt64? {
    guard let zone = local.zoneName else { return nil }
    let text = Array("\(zone) \(local.dayStart)".utf8)
    return text.withUnsafeBytes { Checksum.xxh64($0) }
  }

  /// Returns the counts for `types`, or for all types if `nil`. Returns `nil` if the file is missing or damaged.
  func read(ofTypes types: Set<String>? = nil) -> DailyCounts? {
    guard let file = try? fileSystem.open(path, .read), let size = try? file.size(), size > Self.headerBytes + 8,
      size < 1 << 30, let mapping = try? file.map(size: size), let base = mapping.bytes.baseAddress,
      header.enumerated().allSatisfy({ word(base, $0.offset * 8) == $0.element }), word(base, 48) == UInt64(size),
      word(base, size - 8) == Checksum.xxh64(UnsafeRawBufferPointer(start: base, count: size - 8))
    else { return nil }
    return withExtendedLifetime(mapping) { Self.decode(base, to: size - 8, ofTypes: types) }
  }

  private static func decode(_ base: UnsafeRawPointer, to end: Int, ofTypes types: Set<String>?) -> DailyCounts? {
    var tally = DailyCounts()
    var place = headerBytes
    while place < end {
      guard place + 40 <= end else { return nil }
      let nameBytes = Int(truncatingIfNeeded: word(base, place))
      let dayCount = Int(truncatingIfNeeded: word(base, place + 8))
      guard (0...128).contains(nameBytes), (0..<end).contains(dayCount),
        place + 40 + nameBytes + (dayCount + minutes) * 4 <= end
      else { return nil }
      let firstDay = Int64(bitPattern: word(base, place + 16))
      guard (-5_000_000...5_000_000).contains(firstDay), word(base, place + 24) <= UInt64(UInt32.max) else {
        return nil
      }
      var counts = DailyCounts.Counts()
      counts.firstDay = CivilDate(daysSince1970: Int(firstDay))
      counts.events = Int(word(base, place + 24))
      let position = word(base, place + 32)
      counts.eventsOfPosition = Int(truncatingIfNeeded: position >> 1)
      counts.isTooFar = position & 1 != 0
      place += 40
      let name = String(decoding: UnsafeRawBufferPointer(start: base + place, count: nameBytes), as: UTF8.self)
      place += nameBytes
      guard types?.contains(name) ?? true else {
        place += (dayCount + minutes) * 4
        continue
      }
      func numbers(_ count: Int) -> [Int32] {
        defer { place += count * 4 }
        return [Int32](unsafeUninitializedCapacity: count) { buffer, filled in
          UnsafeMutableRawBufferPointer(buffer).copyMemory(
            from: UnsafeRawBufferPointer(start: base + place, count: count * 4))
          filled = count
        }
      }
      counts.days = numbers(dayCount)
      counts.minutes = numbers(minutes)
      tally.types[name] = counts
    }
    return tally
  }

  /// Replaces the file atomically. Ignores errors, because the counts can be computed again.
  func write(_ tally: DailyCounts) {
    var bytes: [UInt8] = []
    func add(_ value: UInt64) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
    func add(_ values: [Int32]) { values.withUnsafeBytes { bytes += $0 } }
    for word in header { add(word) }
    add(0)  // replaced by the length below
    add(0)
    for (name, counts) in tally.types.sorted(by: { $0.key < $1.key }) {
      add(UInt64(name.utf8.count))
      add(UInt64(counts.days.count))
      add(UInt64(bitPattern: Int64(counts.firstDay.daysSince1970)))
      add(UInt64(counts.events))
      add(UInt64(counts.eventsOfPosition) << 1 | (counts.isTooFar ? 1 : 0))
      bytes += name.utf8
      add(counts.days)
      add(counts.minutes)
    }
    let length = UInt64(bytes.count + 8)
    withUnsafeBytes(of: length.littleEndian) { bytes.replaceSubrange(48..<56, with: $0) }
    let checksum = bytes.withUnsafeBytes { Checksum.xxh64($0) }
    add(checksum)
    let temporary = "\(path).new"
    try? fileSystem.remove(temporary)
    guard let file = try? fileSystem.open(temporary, .create), (try? file.write(bytes, at: 0)) != nil else { return }
    try? fileSystem.rename(temporary, to: path)
  }

  static func removeOthers(
    than known: Set<String>, storeID: UInt64, directory: String, fileSystem: any FileSystem
  ) {
    let numbers = Set(known.compactMap { $0.split(separator: "/").last?.split(separator: "-").dropFirst().first })
    let prefix = prefix(storeID)
    for name in (try? fileSystem.names(inDirectory: directory)) ?? [] where name.hasPrefix(prefix) {
      guard let number = name.split(separator: "-").dropFirst().first, !numbers.contains(number) else { continue }
      try? fileSystem.remove("\(directory)/\(name)")  // a leftover file only uses space
    }
  }
}
