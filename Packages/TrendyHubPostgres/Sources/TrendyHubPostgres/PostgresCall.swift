import CPostgres
package import Foundation

/// A statement that is prepared once per connection under its name.
package struct PostgresStatement: Hashable, Sendable {
  package let name: String
  package let sql: String

  package init(_ name: String, _ sql: String) {
    self.name = name
    self.sql = sql
  }
}

/// A parameter, sent in binary format.
package enum PostgresValue: Hashable, Sendable {
  case text(String)
  case int(Int64?)
  case bytes([UInt8])
  case bool(Bool)
  case texts([String])
  /// JSON in which NUL characters are already escaped.
  case document(Data)
  case documents([Data?])
  case ints([Int64?])

  /// Object identifier of the built-in type, as fixed in `pg_type.dat`.
  var type: Oid {
    switch self {
    case .text, .document: 25
    case .int: 20
    case .bytes: 17
    case .bool: 16
    case .texts, .documents: 1009
    case .ints: 1016
    }
  }

  /// The encoded parameter, or `nil` for NULL.
  var encoded: [UInt8]? {
    switch self {
    case .text(let text): return Array(PostgresText.escape(text).utf8)
    case .int(let number): return number.map { Self.bigEndian($0) }
    case .bytes(let bytes): return bytes
    case .bool(let flag): return [flag ? 1 : 0]
    case .texts(let texts): return Self.array(of: 25, texts.map { Array(PostgresText.escape($0).utf8) })
    case .document(let document): return Array(document)
    case .documents(let documents): return Self.array(of: 25, documents.map { $0.map { Array($0) } })
    case .ints(let numbers): return Self.array(of: 20, numbers.map { $0.map { Self.bigEndian($0) } })
    }
  }

  private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// Encodes a one-dimensional array.
  ///
  /// Layout: number of dimensions, whether there are NULLs, element type, length, lower bound, and each element
  /// preceded by its length, or -1 for NULL.
  private static func array(of type: Int32, _ elements: [[UInt8]?]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20 + elements.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
    bytes += bigEndian(Int32(1)) + bigEndian(Int32(elements.contains { $0 == nil } ? 1 : 0)) + bigEndian(type)
    bytes += bigEndian(Int32(elements.count)) + bigEndian(Int32(1))
    for element in elements {
      bytes += bigEndian(Int32(element?.count ?? -1))
      bytes += element ?? []
    }
    return bytes
  }
}

/// Escapes text for the database, which accepts every character except NUL.
///
/// NUL is stored as `\0`, and a backslash as two backslashes.
enum PostgresText {
  static func escape(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\\") }) else { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "0")]
      case UInt8(ascii: "\\"): bytes += [byte, byte]
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func unescape(_ bytes: some Collection<UInt8>) -> String {
    guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    var isEscaped = false
    for byte in bytes {
      if isEscaped {
        result.append(byte == UInt8(ascii: "0") ? 0 : byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

package struct PostgresCall {
  let statement: PostgresStatement
  let values: [PostgresValue]

  package init(_ statement: PostgresStatement, _ values: PostgresValue...) {
    self.statement = statement
    self.values = values
  }
}
