import Testing
import TrendyModels

@Suite("Limits of fields")
struct FieldLimitTests {
  private static func limits(_ fields: [SyncedKind.Field]) -> [Int] {
    fields.flatMap { field -> [Int] in
      switch field.type {
      case .text(let maximum): [maximum]
      case .members(let fields): limits(fields)
      default: []
      }
    }
  }

  @Test func `the shortest and the longest text limit match the constants`() {
    let limits = SyncedKind.all.flatMap { Self.limits($0.fields) }
    #expect(limits.min() == SyncedKind.shortestTextLimit && limits.max() == SyncedKind.maximumTextBytes)
  }

  @Test func `a conflict can contain a whole entity with values at their limits`() throws {
    let deep = (0..<SyncedKind.maximumNesting).reduce(JSONValue.int(1)) { value, _ in .array([value]) }
    let entity: JSONValue = ["properties": ["deep": ["type": "text", "value": deep]]]
    func members(_ value: JSONValue) -> [String: JSONValue] {
      ["entity_type": "event", "entity_id": "e", "field": "*", "value": value, "reason": "moved"]
    }
    try SyncedKind.conflict.check(members(entity), isCreate: true)
    #expect(throws: FieldError.self) {
      try SyncedKind.conflict.check(members([[entity]]), isCreate: true)
    }
  }

  @Test func `texts inside a value are limited`() {
    let long = JSONValue.string(String(repeating: "x", count: SyncedKind.maximumTextBytes + 1))
    #expect(throws: FieldError.self) {
      try SyncedKind.setting.check(["key": "k", "value": [long]], isCreate: true)
    }
    #expect(throws: FieldError.self) {
      try SyncedKind.setting.check(["key": "k", "unknown": long], isCreate: true)
    }
  }
}
