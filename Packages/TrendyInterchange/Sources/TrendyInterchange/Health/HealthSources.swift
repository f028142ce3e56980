#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Devices and apps that wrote samples, numbered in order of appearance.
struct HealthSources {
  /// Precedence of sources that cover the same time. The lowest value takes precedence.
  enum Rank: UInt8, Comparable {
    case watch
    case phone
    case other

    static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
  }

  struct Source {
    var name: String
    var rank: Rank
  }

  /// Maximum number of sources. Further sources are combined.
  static let limit = 1000

  private(set) var all: [Source] = []
  private var indices: [String: [Rank: UInt16]] = [:]
  /// Name of the last source, cached because most consecutive samples have the same source.
  private var lastName: [UInt8] = []
  private var lastRank = Rank.other
  private var lastIndex: UInt16?

  /// Returns the index of a source, adding it if necessary.
  ///
  /// - Parameters:
  ///   - name: Name as written in the file.
  ///   - device: Apple's description, such as `<<HKDevice: 0x…>, name:Apple Watch, model:Watch, hardware:Watch6,1, …>`,
  ///     or empty. The address in the description differs between samples.
  ///   - text: Returns the name as a string.
  mutating func index<Failure: Error>(
    name: UnsafeBufferPointer<UInt8>, device: UnsafeBufferPointer<UInt8>, text: () throws(Failure) -> String
  ) throws(Failure) -> UInt16 {
    let rank = device.isEmpty ? Self.rank(in: name) : Self.rank(in: device)
    if let lastIndex, rank == lastRank, name.isSame(as: lastName) { return lastIndex }
    var name = try text()
    if all.count >= Self.limit, indices[name]?[rank] == nil { name = "" }
    let index = indices[name]?[rank] ?? UInt16(all.count)
    if Int(index) == all.count {
      all.append(Source(name: name, rank: rank))
      indices[name, default: [:]][rank] = index
    }
    lastName = Array(name.utf8)
    lastRank = rank
    lastIndex = index
    return index
  }

  /// Whether the first source takes precedence over the second: by rank, then by larger amount, then by name.
  func isBetter(_ first: UInt16, _ second: UInt16, amounts: (UInt16) -> Double) -> Bool {
    let (left, right) = (all[Int(first)], all[Int(second)])
    if left.rank != right.rank { return left.rank < right.rank }
    let (more, less) = (amounts(first), amounts(second))
    if more != less { return more > less }
    return left.name < right.name
  }

  private static func rank(in text: UnsafeBufferPointer<UInt8>) -> Rank {
    var index = 0
    // Search for the capital letters of "Watch" or "iPhone".
    while index + 5 <= text.count {
      if text[index] == UInt8(ascii: "W"), text[index + 1] == UInt8(ascii: "a"), text[index + 2] == UInt8(ascii: "t"),
        text[index + 3] == UInt8(ascii: "c"), text[index + 4] == UInt8(ascii: "h")
      {
        return .watch
      }
      if text[index] == UInt8(ascii: "P"), index > 0, text[index - 1] == UInt8(ascii: "i"),
        text[index + 1] == UInt8(ascii: "h"), text[index + 2] == UInt8(ascii: "o"),
        text[index + 3] == UInt8(ascii: "n"), text[index + 4] == UInt8(ascii: "e")
      {
        return .phone
      }
      index += 1
    }
    return .other
  }
}

extension UnsafeBufferPointer<UInt8> {
  func isSame(as other: [UInt8]) -> Bool {
    guard count == other.count, let baseAddress, count > 0 else { return false }
    return other.withUnsafeBytes { memcmp(baseAddress, $0.baseAddress ?? UnsafeRawPointer(baseAddress), count) == 0 }
  }
}
