import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

/// Concurrent writes from several devices lead to the same state, in whatever order they arrive.
@Suite("Order of arrival", .timeLimit(.minutes(10)))
struct ArrivalOrderTests {
  /// For each of three writes to one field, the writes that its author had seen. In the first case, no author has seen
  /// a write. In the second and third, one or both of the other authors have seen the first write. The last case is a
  /// chain.
  private static let knowledge: [[[Int]]] = [
    [[], [], []], [[], [0], []], [[], [0], [0]], [[], [0], [1]],
  ]

  private static func permutations<Element>(_ elements: [Element]) -> [[Element]] {
    guard !elements.isEmpty else { return [[]] }
    return elements.indices.flatMap { index in
      var rest = elements
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }

  /// Returns the author of the final value.
  ///
  /// Returns `nil` if a write that another author had seen lost the merge, because then no device can have seen that
  /// write.
  private func winner(order: [Int], authors: [String], stamps: [Int64], knows: [[Int]]) throws -> String? {
    let hub = try StoryHub(.memory)
    try hub.push("maker", hub.type("t"), hub.event("e"))
    hub.now += 10
    var versions: [Int: Int64] = [:]
    for write in order {
      let known = knows[write].map { versions[$0] }
      guard !known.contains(nil) else { return nil }
      let change = hub.set(
        .string(authors[write]), base: known.compactMap { $0 }.max() ?? 2, at: stamps[write])
      let outcome = try hub.push(authors[write], hub.update("e", ["notes": change]))[0]
      if outcome.lost.isEmpty { versions[write] = outcome.version }
    }
    return try hub.value("e", "notes")?.stringValue
  }

  @Test("the winner of three writes does not depend on their order", arguments: permutations(["A", "B", "C"]))
  func threeWrites(authors: [String]) throws {
    var cases = 0
    for knows in Self.knowledge {
      for number in 0..<27 {
        var stamps = [number / 9, number / 3 % 3, number % 3].map { Int64($0 + 1) }
        // A device stamps its writes later than every write it has seen.
        for write in 0..<3 { for known in knows[write] { stamps[write] = max(stamps[write], stamps[known] + 1) } }
        let orders = Self.permutations([0, 1, 2]).filter { order in
          (0..<3).allSatisfy { write in
            knows[write].allSatisfy { known in
              (order.firstIndex(of: known) ?? 0) < (order.firstIndex(of: write) ?? 0)
            }
          }
        }
        let winners = try Set(
          orders.compactMap { try winner(order: $0, authors: authors, stamps: stamps, knows: knows) })
        #expect(winners.count == 1, "knowing \(knows), stamps \(stamps): \(winners)")
        cases += 1
      }
    }
    // Each of the 6 permutations of the authors covers 108 cases.
    #expect(cases == 108)
  }

  /// A device's writes in the order in which it made them.
  private struct Row {
    var device: String
    var mutations: [HubMutation] = []
  }

  @Test("unseen concurrent writes lead to the same state in every order", arguments: 1...40)
  func concurrentWrites(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var ends: [[String: [String: JSONValue]]] = []
    var rows: [Row]?
    for _ in 0..<6 {
      let hub = try StoryHub(.memory)
      let ids = ["e1", "e2", "e3"]
      try hub.push("maker", hub.type("t"), hub.type("u"), hub.event("e1"), hub.event("e2"), hub.event("e3"))
      hub.now += 10
      let all = rows ?? Self.rows(hub, ids, &random)
      rows = all
      var waiting = all
      while !waiting.isEmpty {
        let index = Int.random(in: waiting.indices, using: &random)
        try hub.push(waiting[index].device, waiting[index].mutations.removeFirst())
        if waiting[index].mutations.isEmpty { waiting.remove(at: index) }
      }
      var end: [String: [String: JSONValue]] = [:]
      for id in ids {
        guard let entry = try hub.entry("event", id) else { continue }
        // The values kept in a tombstone may differ, so compare only whether the entity was deleted.
        end[id] = entry.isAlive ? entry.fields.mapValues(\.value) : [:]
      }
      ends.append(end)
    }
    #expect(Set(ends).count == 1)
  }

  private static func rows(_ hub: StoryHub, _ ids: [String], _ random: inout SeededGenerator) -> [Row] {
    let base: Int64 = 5
    return ["A", "B", "C", "D"].map { device in
      var row = Row(device: device)
      var stamp: Int64 = 0
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        // Use few distinct stamps, so some are equal. The stamps of one device increase.
        stamp += Int64.random(in: 1...3, using: &random)
        let id = ids.randomElement(using: &random) ?? ids[0]
        func text() -> JSONValue { .string("\(device)\(stamp)") }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: row.mutations.append(hub.delete(id, base: base))
        case 1: row.mutations.append(hub.update(id, ["event_type_id": hub.set("u", base: base, at: stamp)]))
        case 2, 3: row.mutations.append(hub.update(id, ["location_name": hub.set(text(), base: base, at: stamp)]))
        default:
          row.mutations.append(
            hub.update(
              id,
              [
                "notes": hub.set(text(), base: base, at: stamp),
                "properties.x": hub.set(["type": "text", "value": text()], base: base, at: stamp),
              ]))
        }
      }
      return row
    }
  }

  // MARK: No value is lost

  /// Simplified device, with its replica, its pending edits, and accepted edits that it has not pulled yet.
  private struct Device {
    struct Edit {
      var mutation: HubMutation
      var version: Int64?
    }

    let name: String
    var held: [String: HubEntry] = [:]
    var complete: Int64 = 0
    var edits: [Edit] = []
    var stamp: Int64 = 0

    func shown(_ id: String, _ field: String) -> JSONValue? {
      var value = held[id]?.fields[field]?.value
      for edit in edits where edit.mutation.id == id {
        if case .fields(let fields) = edit.mutation.content, let change = fields[field] { value = change.value }
      }
      return value
    }

    func isShown(_ id: String) -> Bool {
      held[id]?.isAlive == true && !edits.contains { $0.mutation.id == id && $0.mutation.operation == .delete }
    }

    func base(_ id: String, _ field: String) -> Int64 {
      for edit in edits where edit.mutation.id == id {
        if case .fields(let fields) = edit.mutation.content, let change = fields[field] { return change.base }
      }
      return held[id]?.version ?? 0
    }

    /// Returns the base of a delete: the head at the last pull, or lower if an unconfirmed edit by the device has a
    /// lower base.
    func deletionBase(_ id: String) -> Int64 {
      edits.reduce(complete) { base, edit in
        guard edit.mutation.id == id, case .fields(let fields) = edit.mutation.content else { return base }
        return fields.values.reduce(base) { min($0, $1.base) }
      }
    }
  }

  @Test("every written value is stored, was knowingly replaced, or is reported as lost", arguments: 1...60)
  func nothingVanishes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let hub = try StoryHub(.memory)
    let ids = ["e1", "e2", "e3"]
    let fields = ["notes", "location_name"]
    try hub.push("maker", hub.type("t"), hub.event("e1"), hub.event("e2"), hub.event("e3"))
    hub.now += 100
    var devices = ["A", "B", "C"].map { Device(name: $0) }
    var written: [String] = []
    /// For each value, the values with which users replaced it while they saw it.
    var replacedBy: [String: Set<String>] = [:]
    var told: Set<String> = []
    /// Values visible on a device when it deleted their entity.
    var knowinglyDeleted: Set<String> = []

    func pull(_ device: inout Device) throws {
      for entry in try hub.entries(after: 0) where entry.kind == "event" {
        device.held[entry.id] = entry
        device.stamp = max(device.stamp, (entry.fields.values.map(\.stamp).max() ?? 0) - StoryHub.milliseconds)
      }
      device.complete = try hub.state.head
      device.edits.removeAll { edit in edit.version.map { $0 <= device.held[edit.mutation.id]?.version ?? 0 } ?? false }
    }
    func push(_ device: inout Device) throws {
      for index in device.edits.indices where device.edits[index].version == nil {
        let mutation = device.edits[index].mutation
        let outcome = try hub.push(device.name, mutation)[0]
        guard case .fields(let changes) = mutation.content else { continue }
        device.edits[index].version = outcome.version ?? -1
        let lost = outcome.version == nil ? Array(changes.keys) : outcome.lost
        for name in lost { if let text = changes[name]?.value.stringValue { told.insert(text) } }
      }
      device.edits.removeAll { $0.version == -1 }
    }

    for index in devices.indices { try pull(&devices[index]) }
    for _ in 0..<80 {
      let index = devices.indices.randomElement(using: &random) ?? 0
      let id = ids.randomElement(using: &random) ?? "e1"
      switch Int.random(in: 0..<40, using: &random) {
      case 0..<8: try pull(&devices[index])
      case 8..<16: try push(&devices[index])
      case 16 where devices[index].isShown(id):
        for field in fields {
          if let text = devices[index].shown(id, field)?.stringValue { knowinglyDeleted.insert(text) }
        }
        let mutation = hub.delete(id, base: devices[index].deletionBase(id))
        devices[index].edits.append(Device.Edit(mutation: mutation))
      default:
        guard devices[index].isShown(id) else { continue }
        let field = fields.randomElement(using: &random) ?? "notes"
        let text = "\(devices[index].name)\(written.count)"
        // One device's clock is ahead, and another's is behind.
        devices[index].stamp = max(
          devices[index].stamp + 1, Int64(written.count * 10 + (index - 1) * 35))
        if let old = devices[index].shown(id, field)?.stringValue { replacedBy[old, default: []].insert(text) }
        let change = hub.set(.string(text), base: devices[index].base(id, field), at: devices[index].stamp)
        devices[index].edits.append(Device.Edit(mutation: hub.update(id, [field: change])))
        written.append(text)
      }
    }
    for index in devices.indices { try push(&devices[index]) }

    for id in ids {
      guard let entry = try hub.entry("event", id), entry.isAlive else { continue }
      for field in fields { if let text = entry.fields[field]?.value.stringValue { told.insert(text) } }
    }
    for conflict in try hub.storage.read(user: "p", { try $0.living(kind: "conflict", offset: 0, limit: .max) }) {
      // The value of a conflict that covers several fields is an object.
      guard let value = conflict.fields["value"]?.value else { continue }
      for case .string(let text) in value.objectValue.map({ Array($0.values) }) ?? [value] { told.insert(text) }
    }
    // A value that was replaced knowingly is safe if its replacement is.
    func isSafe(_ text: String) -> Bool {
      told.contains(text) || knowinglyDeleted.contains(text) || (replacedBy[text] ?? []).contains(where: isSafe)
    }
    for text in written { #expect(isSafe(text), "\(text) is nowhere") }
    #expect(written.count > 10)
  }
}
