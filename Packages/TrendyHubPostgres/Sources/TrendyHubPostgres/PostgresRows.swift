import CPostgres
import Foundation

/// Result of a statement, in binary format.
package final class PostgresRows {
  private let result: OpaquePointer
  package let count: Int

  /// Takes ownership of the result.
  init(_ result: OpaquePointer) {
    self.result = result
    count = Int(PQntuples(result))
  }

  deinit { PQclear(result) }

  /// Number of rows changed by an INSERT, UPDATE or DELETE.
  var changedCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

  func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

  /// Returns the bytes as stored, for documents, which are not escaped.
  func data(_ row: Int, _ column: Int) -> Data { Data(buffer(row, column)) }

  func byteCount(_ row: Int, _ column: Int) -> Int { Int(PQgetlength(result, Int32(row), Int32(column))) }

  func bytes(_ row: Int, _ column: Int) -> [UInt8] { Array(buffer(row, column)) }

  /// Returns text that was sent as ``PostgresValue/text(_:)``.
  package func text(_ row: Int, _ column: Int) -> String { PostgresText.unescape(buffer(row, column)) }

  package func int(_ row: Int, _ column: Int) -> Int64 {
    let bytes = buffer(row, column)
    switch bytes.count {
    case 8: return Int64(bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(as: Int64.self))
    case 4: return Int64(Int32(bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(as: Int32.self)))
    case 2: return Int64(Int16(bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(as: Int16.self)))
    default: preconditionFailure("column \(column) is not a number: \(bytes.count) bytes")
    }
  }

  func optionalInt(_ row: Int, _ column: Int) -> Int64? { isNull(row, column) ? nil : int(row, column) }

  package func bool(_ row: Int, _ column: Int) -> Bool { buffer(row, column).first == 1 }

  private func buffer(_ row: Int, _ column: Int) -> UnsafeBufferPointer<UInt8> {
    guard let start = PQgetvalue(result, Int32(row), Int32(column)) else {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    return UnsafeBufferPointer(
      start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: byteCount(row, column))
  }
}
