public import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Offsets of one time zone over time.
///
/// Reads the system's compiled time zone database (TZif, RFC 9636), with the rule at the end of each file for later
/// years. Foundation provides the same data, but loading it takes megabytes of memory in every process. The C library
/// supports only the zone of the process.
public struct TimeZoneRules: Hashable, Sendable {
  /// Start times of ``offsets``, in seconds since 1970 and ascending.
  private var transitions: [Int64]
  private var offsets: [Int32]
  /// Offset before the first transition.
  private var firstOffset: Int32
  /// Rule after the last transition, or `nil` if the last offset remains in effect.
  private var rule: PosixTimeZone?

  /// Reads the zone with this IANA name, such as `Europe/Amsterdam`, from the system's database. Returns `nil` if the
  /// system does not know the zone.
  public init?(named name: String) {
    let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
    if let rules = TimeZoneRules(named: name, folder: folder) {
      self = rules
      return
    }
    #if canImport(Darwin)
      // The sandbox of an app may exclude the database.
      // Foundation also reads offsets such as `GMT+3`, which POSIX counts in the other direction.
      guard name.utf8.contains(UInt8(ascii: "/")), let zone = TimeZone(identifier: name) else { return nil }
      self.init(zone)
    #else
      return nil
    #endif
  }

  /// Reads a zone from the compiled time zone database in another folder.
  package init?(named name: String, folder: String) {
    if name == "UTC" || name == "GMT" {
      self = .utc
      return
    }
    // Names come from hubs and files and must not lead outside the database's folder.
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !name.isEmpty, name.utf8.count <= 64, !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }),
      !name.utf8.contains(0)
    else { return nil }
    // If a name has no file, try its current name.
    func file(_ name: String) -> Data? { try? Data(contentsOf: URL(filePath: "\(folder)/\(name)")) }
    guard let data = file(name) ?? Self.presentNames[name].flatMap(file) else { return nil }
    self.init(file: Array(data))
  }

  static let utc = TimeZoneRules(transitions: [], offsets: [], firstOffset: 0, rule: nil)

  /// Reads the offsets of a zone from Foundation, for the years 1900 to 2100. Other years have the first or the last
  /// of these offsets.
  package init(_ zone: TimeZone) {
    var (transitions, offsets): ([Int64], [Int32]) = ([], [])
    var date = Date(timeIntervalSince1970: -2_208_988_800)
    let (firstOffset, end) = (Int32(zone.secondsFromGMT(for: date)), Date(timeIntervalSince1970: 4_133_980_800))
    while let next = zone.nextDaylightSavingTimeTransition(after: date), next > date, next < end {
      transitions.append(Int64(next.timeIntervalSince1970))
      offsets.append(Int32(zone.secondsFromGMT(for: next)))
      date = next
    }
    self.init(transitions: transitions, offsets: offsets, firstOffset: firstOffset, rule: nil)
  }

  /// Returns the zone of this process, determined as in the C library: from the zone name, path or rule in `TZ`, else
  /// from `/etc/localtime`, else UTC.
  static func ofProcess() -> TimeZoneRules {
    func read(_ path: String) -> TimeZoneRules? {
      (try? Data(contentsOf: URL(filePath: path))).flatMap { TimeZoneRules(file: Array($0)) }
    }
    guard let variable = getenv("TZ").map({ String(cString: $0) }) else { return read("/etc/localtime") ?? ofSystem }
    let text = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
    if let zone = text.hasPrefix("/") ? read(text) : TimeZoneRules(named: text) { return zone }
    // A rule without dates uses the dates of the United States.
    let rule = PosixTimeZone(text.utf8) ?? PosixTimeZone("\(text),M3.2.0,M11.1.0".utf8)
    return rule.map { TimeZoneRules(transitions: [], offsets: [], firstOffset: 0, rule: $0) } ?? .utc
  }

  /// Zone of a system whose database cannot be read.
  private static var ofSystem: TimeZoneRules {
    #if canImport(Darwin)
      TimeZoneRules(.current)
    #else
      .utc
    #endif
  }

  /// Current names of zones that CLDR, and therefore browsers and phones, still call by an older name.
  ///
  /// The system may lack files for the older names: Debian 13 and Ubuntu 24.04 ship them in the package
  /// `tzdata-legacy`.
  private static let presentNames = [
    "Africa/Asmera": "Africa/Asmara",
    "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
    "America/Catamarca": "America/Argentina/Catamarca",
    "America/Coral_Harbour": "America/Atikokan",
    "America/Cordoba": "America/Argentina/Cordoba",
    "America/Godthab": "America/Nuuk",
    "America/Indianapolis": "America/Indiana/Indianapolis",
    "America/Jujuy": "America/Argentina/Jujuy",
    "America/Louisville": "America/Kentucky/Louisville",
    "America/Mendoza": "America/Argentina/Mendoza",
    "Asia/Calcutta": "Asia/Kolkata",
    "Asia/Katmandu": "Asia/Kathmandu",
    "Asia/Rangoon": "Asia/Yangon",
    "Asia/Saigon": "Asia/Ho_Chi_Minh",
    "Atlantic/Faeroe": "Atlantic/Faroe",
    "Europe/Kiev": "Europe/Kyiv",
    "Pacific/Enderbury": "Pacific/Kanton",
    "Pacific/Ponape": "Pacific/Pohnpei",
    "Pacific/Truk": "Pacific/Chuuk",
  ]

  /// Parses the content of a TZif file. Returns `nil` if it is invalid.
  public init?(file: [UInt8]) {
    guard let table = TimeZoneFile(file) else { return nil }
    self.init(transitions: table.transitions, offsets: table.offsets, firstOffset: table.firstOffset, rule: table.rule)
  }

  private init(transitions: [Int64], offsets: [Int32], firstOffset: Int32, rule: PosixTimeZone?) {
    self.transitions = transitions
    self.offsets = offsets
    self.firstOffset = firstOffset
    self.rule = rule
  }

  /// Returns the offset in seconds east of UTC at a date. Dates are clamped to the years 1 to 9999.
  public func secondsFromGMT(at date: Date) -> Int {
    let bounds = -62_135_596_800.0...253_402_300_799.0
    let seconds = date.timeIntervalSince1970
    // The order of the arguments matters: comparisons with NaN are false.
    return secondsFromGMT(at: Int64(min(max(bounds.lowerBound, seconds), bounds.upperBound).rounded(.down)))
  }

  /// Returns the offset in seconds east of UTC, at a time in seconds since 1970.
  func secondsFromGMT(at seconds: Int64) -> Int {
    guard let last = transitions.last else { return rule?.secondsFromGMT(at: seconds) ?? Int(firstOffset) }
    if seconds >= last { return rule?.secondsFromGMT(at: seconds) ?? Int(offsets[offsets.count - 1]) }
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
    }
    return Int(low == 0 ? firstOffset : offsets[low - 1])
  }
}

/// Offsets read from a TZif file: from its 64-bit block (version 2 and later) and its footer.
private struct TimeZoneFile {
  var transitions: [Int64] = []
  var offsets: [Int32] = []
  var firstOffset: Int32 = 0
  var rule: PosixTimeZone?

  init?(_ bytes: [UInt8]) {
    guard let first = Header(bytes, at: 0) else { return nil }
    guard first.version >= UInt8(ascii: "2") else {
      guard read(bytes, first, timeSize: 4) != nil else { return nil }
      return
    }
    guard let second = Header(bytes, at: first.end(timeSize: 4)), let footer = read(bytes, second, timeSize: 8) else {
      return nil
    }
    // The footer consists of a line feed, the rule and a line feed.
    guard footer < bytes.count, bytes[footer] == UInt8(ascii: "\n"),
      let end = bytes[(footer + 1)...].firstIndex(of: UInt8(ascii: "\n"))
    else { return nil }
    let text = bytes[(footer + 1)..<end]
    guard !text.isEmpty else { return }
    guard let rule = PosixTimeZone(text) else { return nil }
    self.rule = rule
  }

  private struct Header {
    let version: UInt8
    /// Offset of the block after the header.
    let start: Int
    let universalFlags: Int
    let standardFlags: Int
    let leapSeconds: Int
    let transitions: Int
    let types: Int
    let letters: Int

    init?(_ bytes: [UInt8], at offset: Int) {
      guard bytes.count - offset >= 44, bytes[offset..<(offset + 4)].elementsEqual("TZif".utf8) else { return nil }
      version = bytes[offset + 4]
      func count(_ index: Int) -> Int { Int(TimeZoneFile.integer(bytes, at: offset + 20 + 4 * index, size: 4)) }
      (universalFlags, standardFlags, leapSeconds) = (count(0), count(1), count(2))
      (transitions, types, letters) = (count(3), count(4), count(5))
      start = offset + 44
      let counts = [universalFlags, standardFlags, leapSeconds, transitions, types, letters]
      guard counts.allSatisfy({ (0...100_000).contains($0) }), types > 0 else { return nil }
    }

    func end(timeSize: Int) -> Int {
      start + transitions * (timeSize + 1) + types * 6 + letters + leapSeconds * (timeSize + 4) + standardFlags
        + universalFlags
    }
  }

  /// Reads one data block.
  ///
  /// - Returns: offset after the block, or `nil` if the file is too short or contains an invalid type index.
  private mutating func read(_ bytes: [UInt8], _ header: Header, timeSize: Int) -> Int? {
    let end = header.end(timeSize: timeSize)
    guard end <= bytes.count else { return nil }
    let types = header.start + header.transitions * (timeSize + 1)
    func offset(ofType index: Int) -> Int32 { Int32(Self.integer(bytes, at: types + 6 * index, size: 4)) }
    firstOffset = offset(ofType: 0)
    for index in 0..<header.transitions {
      let type = Int(bytes[header.start + header.transitions * timeSize + index])
      guard type < header.types else { return nil }
      transitions.append(Self.integer(bytes, at: header.start + index * timeSize, size: timeSize))
      offsets.append(offset(ofType: type))
    }
    for (earlier, later) in zip(transitions, transitions.dropFirst()) where earlier >= later { return nil }
    return end
  }

  /// Reads a big-endian two's complement integer of 4 or 8 bytes.
  private static func integer(_ bytes: [UInt8], at offset: Int, size: Int) -> Int64 {
    let value = bytes[offset..<(offset + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
  }
}
