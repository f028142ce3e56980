import Foundation
import TrendyModels
import TrendyTesting

/// Corrupts documents with extreme numbers, reordered entries, foreign ids, or fewer entries than announced.
enum ResponseCorruptor {
  static let numbers: [Int64] = [.max, .max - 1, .min, .min + 1, -1, 0, 1 << 53, 253_402_300_800_000]

  /// Corrupts a JSON document or NDJSON lines. Other data is unchanged.
  static func about(_ body: Data, using generator: inout SeededGenerator) -> Data {
    var lines = body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Data($0) }
    if lines.count > 2, Int.random(in: 0..<4, using: &generator) == 0 {
      let place = Int.random(in: 1..<lines.count - 1, using: &generator)
      if Bool.random(using: &generator) { lines.remove(at: place) } else { lines[place] = lines[lines.count - 2] }
      return Data(lines.joined(separator: [UInt8(ascii: "\n")]))
    }
    let place = Int.random(in: 0..<lines.count, using: &generator)
    guard var document = try? WireJSON.decode(JSONValue.self, from: lines[place]) else { return body }
    distort(&document, using: &generator)
    guard let written = try? WireJSON.encode(document) else { return body }
    lines[place] = written
    return Data(lines.joined(separator: [UInt8(ascii: "\n")]))
  }

  /// Changes one value in the document. All values are equally likely to change, including objects and arrays.
  static func distort(_ document: inout JSONValue, using generator: inout SeededGenerator) {
    var left = Int.random(in: 0..<size(document), using: &generator)
    document = distorted(document, &left, &generator)
  }

  private static func size(_ value: JSONValue) -> Int {
    switch value {
    case .object(let members): members.values.reduce(1) { $0 + size($1) }
    case .array(let values): values.reduce(1) { $0 + size($1) }
    default: 1
    }
  }

  /// Changes the value at a depth-first position. `left` is the number of values before that position, and is negative
  /// after the change.
  private static func distorted(
    _ value: JSONValue, _ left: inout Int, _ generator: inout SeededGenerator
  ) -> JSONValue {
    left -= 1
    if left == -1 { return lie(about: value, &generator) }
    switch value {
    case .object(var members):
      for name in members.keys.sorted() where left >= 0 {
        guard let member = members[name] else { continue }
        members.updateValue(distorted(member, &left, &generator), forKey: name)
      }
      return .object(members)
    case .array(var values):
      for place in values.indices where left >= 0 { values[place] = distorted(values[place], &left, &generator) }
      return .array(values)
    default: return value
    }
  }

  private static func lie(about value: JSONValue, _ generator: inout SeededGenerator) -> JSONValue {
    switch value {
    case .int: return .int(numbers.randomElement(using: &generator) ?? .max)
    case .bool(let truth): return .bool(!truth)
    case .string(let text):
      let lies: [JSONValue] = [
        .string(""), .string(String(text.dropLast())), .string("stranger"), .string(text + text), .null,
      ]
      return lies.randomElement(using: &generator) ?? .null
    case .array(let values):
      return .array(Bool.random(using: &generator) ? values.reversed() : Array(values.dropLast()))
    case .object(var members):
      guard let name = members.keys.sorted().randomElement(using: &generator) else { return .null }
      members.removeValue(forKey: name)
      return .object(members)
    case .double(let number):
      return [.double(-number), .double(1e308), .int(0)].randomElement(using: &generator) ?? .int(0)
    case .null: return .int(0)
    }
  }
}
