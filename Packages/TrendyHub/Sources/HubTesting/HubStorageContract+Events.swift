import Foundation
import TrendyHub
import TrendyModels

extension HubStorageContract {
  static let events: [Check] = [
    Check("times and documents of events match their entries") { storage in
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
        try storage.write(user: "p") { try $0.put(entry) }
        if entry.kind == "event" { expected[entry.id] = entry.isAlive ? entry : nil }
      }
      let range = Int64.min / 4..<Int64.max / 4
      try storage.read(user: "p") { reading in
        var moments: [String: HubEventMoment] = [:]
        try reading.eachEvent(during: range) { moment, entry in moments[try entry().id] = moment }
        try expect(moments, expected.compactMapValues { HubEventMoment($0) })
        try expect(moments.count > 3, true)
        for limit in [3, Int.max] {
          let texts = try reading.documents(kind: "event", during: range, limit: limit, user: "p")
            .map { String(decoding: $0, as: UTF8.self) }
          let made = try reading.living(kind: "event", during: range, limit: limit)
            .map { String(decoding: try WireJSON.encode(JSONValue.object($0.document(user: "p"))), as: UTF8.self) }
          try expect(texts, made)
        }
        let middle = moments.values.map(\.moment).sorted()[moments.count / 2]
        var count = 0
        try reading.eachEvent(during: middle..<range.upperBound) { _, _ in count += 1 }
        try expect(count, moments.values.count { $0.moment >= middle })
      }
    },
    Check("texts of a time range are those of its live events, with the values of their fields") { storage in
      var generator = Scrambler()
      for round in 0..<200 {
        var entry = scrambled(version: Int64(round + 1), &generator)
        entry.fields["notes"] = HubField(value: .string("entry \(entry.id)."), version: 1, stamp: 1, author: "d")
        try storage.write(user: "p") { try $0.put(entry) }
      }
      try storage.write(user: "q") { try $0.put(entry("event", "other", version: 1)) }
      try storage.read(user: "p") { reading in
        let whole = Int64.min / 4..<Int64.max / 4
        let all = try reading.living(kind: "event", during: whole, limit: .max)
        try expect(all.count > 3, true)
        let middle = all[all.count / 2].listMoment
        for range in [whole, whole.lowerBound..<middle, middle..<middle + 1, middle..<whole.upperBound] {
          let living = try reading.living(kind: "event", during: range, limit: .max)
          var texts: [String] = []
          let count = try reading.eachText(during: range) { texts.append(String(decoding: $0, as: UTF8.self)) }
          try expect(count, living.count)
          try expect(texts.count, living.count)
          for entry in living {
            let text = texts.first { $0.contains("\"entry \(entry.id).\"") }
            for (name, field) in entry.fields {
              let value = String(decoding: try WireJSON.encode(field.value), as: UTF8.self)
              guard text?.contains(value) == true else {
                throw ContractViolation("\(name) of \(entry.id), \(value), is missing from \(text ?? "every text")")
              }
            }
          }
        }
      }
    },
    Check("events that a search skips without reading contain none of its words") { storage in
      var generator = Scrambler()
      let texts = [
        "Soup", "süß", "SOUP", "\u{212A}ELVIN", "\u{130}stanbul", "soup\"\\\n", "cafe\u{301}", "é", "s o u p", "2026",
      ]
      let names = ["t": "run", "u": "lunch with soup"]
      for round in 0..<200 {
        var entry = scrambled(version: Int64(round + 1), &generator)
        func field(_ value: JSONValue) -> HubField { HubField(value: value, version: 1, stamp: 1, author: "d") }
        entry.fields["event_type_id"] = field(round % 3 == 0 ? "u" : "t")
        entry.fields["notes"] = field(.string(texts[round % texts.count]))
        entry.fields["properties.p"] = field(["type": "text", "value": .string(texts[round / 10 % texts.count])])
        try storage.write(user: "p") { try $0.put(entry) }
      }
      try storage.read(user: "p") { reading in
        let all = try reading.living(kind: "event", during: Int64.min / 4..<Int64.max / 4, limit: .max)
        try expect(all.count > 3, true)
        for word in [
          "soup", "süß", "kelvin", "istanbul", "i\u{307}stanbul", "caf\u{e9}", "cafe\u{301}", "é", "\"", "2026", "o",
          "\n",
        ] {
          let search = EventSearch(words: [word], typeId: nil, placeId: nil)
          let prefilter = EventPrefilter(typeId: nil, words: [word], names: names)
          let page = try reading.events(during: Int64.min / 4..<Int64.max / 4, limit: .max, prefilter: prefilter)
          let kept = Set(page.entries.map(\.id))
          try expect(page.looked, all.count)
          for entry in all where search.matches(entry, names) && !kept.contains(entry.id) {
            throw ContractViolation("the search for \(word) omits \(entry.fields)")
          }
        }
      }
    },
  ]
}
