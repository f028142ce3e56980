/// Parser for the messages in FIT files (Garmin, "Flexible and Interoperable Data Transfer", version 2).
///
/// Each file defines the layout of its own messages. Field sizes are taken from this definition even if they differ
/// from Garmin's profile. Developer fields are skipped, as are values that the protocol defines as invalid. Several
/// files may be concatenated.
struct FITMessages {
  struct Message {
    /// Global message number, for example 20 for a record.
    let number: Int
    /// Values by field number. Arrays are represented by their first element.
    let values: [UInt8: Double]
    /// Offset of the message in the file, in bytes.
    let offset: Int
    /// Time in seconds since 1989-12-31, or `nil` if the message has neither a timestamp nor a compressed timestamp.
    let timestamp: UInt32?
  }

  enum Item {
    case message(Message)
    /// End of a file. Another file may follow. `problem` describes an error in the file.
    case end(problem: String?, offset: Int)
  }

  private struct Field {
    var number: UInt8
    var size: Int
    var type: UInt8
  }

  private struct Definition {
    var number: Int
    var isBigEndian: Bool
    var fields: [Field]
    var developerSize = 0
  }

  private let bytes: [UInt8]
  /// Global numbers of the messages to return.
  private let numbers: Set<Int>
  private var index = 0
  /// End offset of the current file's messages, or `nil` between files.
  private var end: Int?
  private var start = 0
  private var isUnfinished = false
  private var definitions = [Definition?](repeating: nil, count: 16)
  private var lastTimestamp: UInt32 = 0

  init(_ bytes: [UInt8], numbers: Set<Int>) {
    self.bytes = bytes
    self.numbers = numbers
  }

  static func isBeginning(_ head: ArraySlice<UInt8>) -> Bool {
    guard head.count >= 12, let size = head.first, size >= 12 else { return false }
    return head[(head.startIndex + 8)..<(head.startIndex + 12)].elementsEqual(".FIT".utf8)
  }

  /// Returns the next message or the end of a file, or `nil` at the end of the input.
  mutating func next() -> Item? {
    while true {
      guard let end else {
        guard index < bytes.count else { return nil }
        guard Self.isBeginning(bytes[index...]) else {
          defer { index = bytes.count }
          return .end(problem: "\(bytes.count - index) bytes after the end are not FIT data", offset: index)
        }
        begin()
        continue
      }
      guard index < end else { return finish() }
      let offset = index
      switch record() {
      case .taken(let message): if let message { return .message(message) }
      case .broken(let reason):
        self.end = nil
        index = bytes.count
        return .end(problem: reason, offset: offset)
      }
    }
  }

  private mutating func begin() {
    start = index
    // The size in the header is 0 if the recording was not finished.
    let size = integer(at: index + 4, size: 4, isBigEndian: false)
    let first = index + Int(bytes[index])
    let wanted = size == 0 ? bytes.count : first + Int(size)
    isUnfinished = size == 0 || wanted > bytes.count
    end = min(wanted, bytes.count)
    index = min(first, bytes.count)
    definitions = [Definition?](repeating: nil, count: 16)
    lastTimestamp = 0
  }

  private mutating func finish() -> Item {
    let offset = index
    end = nil
    guard !isUnfinished else {
      index = bytes.count
      return .end(problem: "the file ends in the middle of a message", offset: offset)
    }
    // Accept a missing checksum, because some devices omit it.
    guard index + 2 <= bytes.count, !Self.isBeginning(bytes[index...]) else {
      if index + 1 == bytes.count { index += 1 }
      return .end(problem: nil, offset: offset)
    }
    index += 2
    let isRight = Self.checksum(bytes[start..<offset]) == UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
    return .end(problem: isRight ? nil : "wrong checksum: the file may be damaged", offset: offset)
  }

  // MARK: Records

  private enum Taken {
    case taken(Message?)
    case broken(String)
  }

  private mutating func record() -> Taken {
    let offset = index
    let header = bytes[index]
    index += 1
    if header & 0x80 != 0 {
      let seconds = UInt32(header & 0x1F)
      var time = lastTimestamp & ~0x1F | seconds
      if seconds < lastTimestamp & 0x1F { time &+= 0x20 }
      lastTimestamp = time
      return data(Int(header >> 5 & 3), at: offset, timestamp: time)
    }
    if header & 0x40 != 0 { return definition(Int(header & 0xF), hasDeveloperFields: header & 0x20 != 0) }
    return data(Int(header & 0xF), at: offset, timestamp: nil)
  }

  private mutating func definition(_ local: Int, hasDeveloperFields: Bool) -> Taken {
    let cut = Taken.broken("truncated definition")
    guard let end, index + 5 <= end else { return cut }
    let isBigEndian = bytes[index + 1] != 0
    var definition = Definition(
      number: Int(integer(at: index + 2, size: 2, isBigEndian: isBigEndian)), isBigEndian: isBigEndian, fields: [])
    let count = Int(bytes[index + 4])
    index += 5
    guard index + count * 3 <= end else { return cut }
    for _ in 0..<count {
      definition.fields.append(
        Field(number: bytes[index], size: Int(bytes[index + 1]), type: bytes[index + 2]))
      index += 3
    }
    if hasDeveloperFields {
      guard index < end else { return cut }
      let count = Int(bytes[index])
      index += 1
      guard index + count * 3 <= end else { return cut }
      for field in 0..<count { definition.developerSize += Int(bytes[index + field * 3 + 1]) }
      index += count * 3
    }
    definitions[local] = definition
    return .taken(nil)
  }

  private mutating func data(_ local: Int, at offset: Int, timestamp: UInt32?) -> Taken {
    guard let definition = definitions[local] else {
      return .broken("message of type \(local) before its definition")
    }
    guard let end, index + definition.fields.reduce(definition.developerSize, { $0 + $1.size }) <= end else {
      return .broken("truncated message")
    }
    var values: [UInt8: Double] = [:]
    var time = timestamp
    let isWanted = numbers.contains(definition.number)
    for field in definition.fields {
      if field.number == Self.timestampField || isWanted, let value = value(field, definition.isBigEndian) {
        values[field.number] = value
        if field.number == Self.timestampField, field.size == 4, value >= 0, value <= Double(UInt32.max) {
          time = UInt32(value)
        }
      }
      index += field.size
    }
    index += definition.developerSize
    if let time { lastTimestamp = time }
    guard isWanted else { return .taken(nil) }
    return .taken(Message(number: definition.number, values: values, offset: offset, timestamp: time))
  }

  private static let timestampField: UInt8 = 253

  /// Returns the value of a field at the current offset, or the first element of an array.
  ///
  /// Returns `nil` for strings and for values that the protocol defines as invalid.
  private func value(_ field: Field, _ isBigEndian: Bool) -> Double? {
    let type = field.type & 0x1F
    guard type < Self.sizes.count, case let size = Self.sizes[Int(type)], size > 0, field.size >= size,
      field.size % size == 0
    else { return nil }
    let raw = integer(at: index, size: size, isBigEndian: isBigEndian)
    let bits = UInt64(size * 8)
    let all = bits == 64 ? UInt64.max : (1 << bits) - 1
    switch type {
    case 8, 9:
      guard raw != all else { return nil }
      let value = size == 4 ? Double(Float(bitPattern: UInt32(raw))) : Double(bitPattern: raw)
      return value.isFinite ? value : nil
    // For signed integers, the maximum means that the value is invalid.
    case 1, 3, 5, 14:
      guard raw != all >> 1 else { return nil }
      return raw > all >> 1 ? -Double(all - raw) - 1 : Double(raw)
    // For these types, 0 means that the value is invalid.
    case 10, 11, 12, 16: return raw == 0 ? nil : Double(raw)
    default: return raw == all ? nil : Double(raw)
    }
  }

  /// Sizes in bytes by base type: enum, sint8, uint8, sint16, uint16, sint32, uint32, string, float32, float64, uint8z,
  /// uint16z, uint32z, byte, sint64, uint64, uint64z. Strings have no fixed size.
  private static let sizes = [1, 1, 1, 2, 2, 4, 4, 0, 4, 8, 1, 2, 4, 1, 8, 8, 8]

  private func integer(at index: Int, size: Int, isBigEndian: Bool) -> UInt64 {
    var value: UInt64 = 0
    for place in 0..<size { value = value << 8 | UInt64(bytes[index + (isBigEndian ? place : size - 1 - place)]) }
    return value
  }

  /// Returns the CRC-16 with the reflected polynomial 0x8005.
  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    var checksum: UInt16 = 0
    for byte in bytes {
      checksum ^= UInt16(byte)
      for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xA001 : checksum >> 1 }
    }
    return checksum
  }
}
