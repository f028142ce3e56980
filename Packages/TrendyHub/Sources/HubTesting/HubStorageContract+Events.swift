import Foundation
import TrendyHub
import TrendyModels

extension HubStorageContract {
  /// What a storage owes where events are read by the thousand.
  static let events: [Check] = [
    Check("moments and documents of events are those of their entries, whatever the entries have") { storage in
      var generator = Scrambler()
      let values: [JSONValue] = [.null, "Europe/Amsterdam", "trip", "é \" \\ \u{1}", true, false, 7, ["a": ["}", 1]]]
      var expected: [String: HubEntry] = [:]
      for round in 0..<300 {
        var entry = scrambled(version: Int64(round + 1), &generator)
        for name in ["event_type_id", "is_all_day", "source_type", "time_zone", "timestamp", "notes"]
        where Bool.random(using: &generator) {
          let value = values[Int.random(in: values.indices, using: &generator)]
          entry.fields[name] = HubField(value: value, version: 1, stamp: 1, author: "d")
        }
        if round % 3 > 0 { entry.fields["event_type_id"] = HubField(value: "t", version: 1, stamp: 1, author: "d") }
        try storage.write(person: "p") { try $0.put(entry) }
        if entry.kind == "event" { expected[entry.id] = entry.isAlive ? entry : nil }
      }
      let range = Int64.min / 4..<Int64.max / 4
      try storage.read(person: "p") { reading in
        var moments: [String: HubEventMoment] = [:]
        try reading.eachEvent(during: range) { moment, entry in moments[try entry().id] = moment }
        try expect(moments, expected.compactMapValues { HubEventMoment($0) })
        try expect(moments.count > 3, true)
        for limit in [3, Int.max] {
          let texts = try reading.documents(kind: "event", during: range, limit: limit, person: "p")
            .map { String(decoding: $0, as: UTF8.self) }
          let made = try reading.living(kind: "event", during: range, limit: limit)
            .map { String(decoding: try WireJSON.encode(JSONValue.object($0.document(person: "p"))), as: UTF8.self) }
          try expect(texts, made)
        }
        let middle = moments.values.map(\.moment).sorted()[moments.count / 2]
        var count = 0
        try reading.eachEvent(during: middle..<range.upperBound) { _, _ in count += 1 }
        try expect(count, moments.values.count { $0.moment >= middle })
      }
    }
  ]
}
