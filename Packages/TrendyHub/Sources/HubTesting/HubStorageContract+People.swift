import Foundation
import Synchronization
import TrendyHub
import TrendyModels

/// Checks for the directory and the isolation between users.
extension HubStorageContract {
  static let users: [Check] = [
    Check("users do not see each other's state") { storage in
      for user in ["p", "q", "../p", "P"] {
        try storage.read(user: user) { try expect(try $0.state(), HubState()) }
        try storage.write(user: user) { transaction in
          try transaction.setState(HubState(head: 1, epochs: [.init(id: user, first: 1)]))
          var own = entry("event", "e", version: 1)
          own.fields["notes"] = field(.string(user), 1)
          try transaction.put(own)
          try transaction.setMark(device: "d", Int64(user.utf8.count))
        }
      }
      for user in ["p", "q", "../p", "P"] {
        try storage.read(user: user) { reading in
          try expect(try reading.state().epochs.first?.id, user)
          try expect(try reading.entries(after: 0, limit: 9).map { $0.fields["notes"]?.value }, [.string(user)])
          try expect(try reading.mark(device: "d"), Int64(user.utf8.count))
        }
      }
    },
    Check("the directory stores users, devices and codes") { storage in
      let anna = HubUser(id: "1", name: "Anna", createdAt: moment)
      var phone = HubDevice(id: "10", user: "1", name: "phone", tokenHash: "aa", createdAt: moment)
      let laptop = HubDevice(id: "11", user: "1", name: "laptop", tokenHash: "bb", createdAt: moment)
      let code = HubPairingCode(hash: "cc", user: "1", expiresAt: moment)
      try storage.writeDirectory { directory in
        try directory.put(anna)
        try directory.put(phone)
        try directory.put(laptop)
        try directory.put(code)
        try expect(try directory.user(id: "1"), anna)
      }
      phone.revokedAt = moment.addingTimeInterval(1)
      phone.seenAt = moment.addingTimeInterval(2)
      phone.report = HubDeviceReport(
        version: "1.2.0", waiting: 3, oldest: moment, clockAhead: -0.4, at: moment.addingTimeInterval(2))
      try storage.writeDirectory { try $0.put(phone) }
      try storage.readDirectory { directory in
        try expect(try directory.users(), [anna])
        try expect(try directory.user(id: "2"), nil)
        try expect(try directory.devices(), [phone, laptop])
        try expect(try directory.device(tokenHash: "aa"), phone)
        try expect(try directory.device(tokenHash: "ab"), nil)
        try expect(try directory.pairingCode(hash: "cc"), code)
        try expect(try directory.pairingCodes(), [code])
        try expect(try directory.pairingCode(hash: "cd"), nil)
      }
      try storage.writeDirectory { directory in
        try directory.put(HubPairingCode(hash: "dd", user: "1", expiresAt: moment.addingTimeInterval(9)))
        try directory.deletePairingCodes(expiredBefore: moment.addingTimeInterval(9))
        try expect(try directory.pairingCode(hash: "cc"), nil)
        try expect(try directory.pairingCode(hash: "dd")?.hash, "dd")
        try directory.deletePairingCode(hash: "dd")
        try directory.deletePairingCode(hash: "dd")
      }
      try storage.readDirectory { try expect(try $0.pairingCode(hash: "dd"), nil) }
    },
    Check("the directory stores the latest pairing attempts") { storage in
      func time(_ seconds: Double) -> Date { moment.addingTimeInterval(seconds) }
      try storage.writeDirectory { directory in
        for number in 1...5 { try directory.putPairingAttempts(key: "k\(number)", [time(0), time(Double(number))]) }
        try directory.putPairingAttempts(key: "k5", [time(6)])
        try directory.putPairingAttempts(key: "k4", [])
        try expect(try directory.pairingAttempts(key: "k5"), [time(6)])
      }
      try storage.writeDirectory { directory in
        try expect(try directory.pairingAttempts(key: "k3"), [time(0), time(3)])
        try expect(try directory.pairingAttempts(key: "k4"), [])
        try directory.deletePairingAttempts(before: time(2), keeping: 9)
        try expect(try directory.pairingAttempts(key: "k1"), [])
        try expect(try directory.pairingAttempts(key: "k2").count, 2)
        try directory.deletePairingAttempts(before: time(2), keeping: 2)
      }
      try storage.readDirectory { directory in
        try expect(try directory.pairingAttempts(key: "k2"), [])
        try expect(try directory.pairingAttempts(key: "k3").count, 2)
        try expect(try directory.pairingAttempts(key: "k5").count, 1)
        try expect(try directory.pairingAttempts(key: "never"), [])
      }
    },
    Check("concurrent pairing attempts do not exceed the limit") { storage in
      let accounts = HubAccounts(storage: storage)
      let anna = try accounts.createPerson(name: "Anna")
      let code = try accounts.createPairingCode(user: anna.id)
      let outcomes = Mutex<[String]>([])
      // Make blocking calls on several threads, like concurrent requests. The threads share only `outcomes`, which has
      // a lock.
      DispatchQueue.concurrentPerform(iterations: 24) { number in
        let outcome: String
        do {
          _ = try accounts.pair(code: "9999-\(1000 + number)", deviceName: "d", address: "192.0.2.1")
          outcome = "paired"
        } catch {
          outcome = (error as? Problem)?.kind ?? "\(error)"
        }
        outcomes.withLock { $0.append(outcome) }
      }
      let found = outcomes.withLock { $0 }
      try expect(found.filter { $0 == "pairing_code_invalid" }.count, PairingGuard.attempts)
      try expect(found.filter { $0 == "rate_limited" }.count, 24 - PairingGuard.attempts)
      // Other addresses can still pair.
      try expect(try accounts.pair(code: code, deviceName: "d", address: "192.0.2.2").device.user, anna.id)
    },
    Check("the data of a user has a size") { storage in
      try storage.write(user: "p") { transaction in
        for number in 1...100 { try transaction.put(entry("event", "e\(number)", version: Int64(number))) }
      }
      try expect(try storage.size(of: "p").map { $0 > 1000 } ?? true, true)
      try expect(try storage.size(of: "q") ?? 0, 0)
    },
    Check("deleting a user deletes only that user's devices and codes") { storage in
      func hook(_ id: String, of user: String) -> HubWebhook {
        HubWebhook(
          id: id, user: user, url: "https://example.org/\(id)", secret: "s", kinds: ["event"], createdAt: moment)
      }
      var anna = HubUser(id: "1", name: "Anna", createdAt: moment)
      let eve = HubUser(id: "2", name: "Eve", createdAt: moment)
      try storage.writeDirectory { directory in
        for user in [anna, eve] {
          try directory.put(user)
          try directory.put(
            HubDevice(
              id: "d\(user.id)", user: user.id, name: "phone", tokenHash: "t\(user.id)", createdAt: moment))
          try directory.put(HubPairingCode(hash: "c\(user.id)", user: user.id, expiresAt: moment))
        }
      }
      anna.removedAt = moment.addingTimeInterval(1)
      anna.isErasing = true
      try storage.writeDirectory { try $0.put(anna) }
      try storage.readDirectory { try expect(try $0.users(), [anna, eve]) }
      try storage.writeDirectory { directory in
        try directory.put(hook("w3", of: "1"))
        try directory.put(hook("w2", of: "2"))
        try directory.put(hook("w1", of: "2"))
        try directory.put(hook("w4", of: "2"))
        try directory.deleteWebhook(id: "w4")
        try directory.deletePerson(id: "1")
        try directory.deletePerson(id: "1")
      }
      try storage.readDirectory { directory in
        try expect(try directory.webhooks(), [hook("w1", of: "2"), hook("w2", of: "2")])
        try expect(try directory.users(), [eve])
        try expect(try directory.devices().map(\.id), ["d2"])
        try expect(try directory.pairingCode(hash: "c1"), nil)
        try expect(try directory.pairingCode(hash: "c2")?.user, "2")
      }
    },
    Check("each record has separate epochs, which all hubs on the storage share") {
      storage in
      let type = CreateEventTypeRequest(id: "t", name: "Coffee", color: "#000000", icon: "cup")
      func epochs(of user: String, at server: HubServer) throws -> [HubEpoch] {
        try server.ingestDesk(user: user).create(.eventType, type)
        return try storage.read(user: user) { try $0.state().epochs }
      }
      let server = HubServer(storage: storage)
      let erased = try epochs(of: "p", at: server)
      let other = try epochs(of: "q", at: server)
      try expect(erased.map(\.first), [1])
      try expect(other.map(\.first), [1])
      try expect(erased.map(\.id) == other.map(\.id), false)
      try storage.erase(user: "p")
      // A user recreated in the same hub epoch has a different id, and therefore different epoch ids.
      try expect(try epochs(of: "r", at: server).map(\.id) == erased.map(\.id), false)
      let second = HubServer(storage: storage)
      try second.ingestDesk(user: "q").update(.eventType, id: "t", UpdateEventTypeRequest(name: "Tea"))
      let after = try storage.read(user: "q") { (try $0.state().epochs, try $0.epoch()) }
      // A storage shared by several hubs provides the epoch, so a new process does not begin one.
      try expect(after.0.count, after.1 == nil ? 2 : 1)
    },
    Check("erasing a user removes all data of that user and of no other") { storage in
      for user in ["p", "q"] {
        try storage.write(user: user) { try $0.put(entry("event", "e", version: 1)) }
      }
      try storage.erase(user: "p")
      try storage.erase(user: "p")
      try storage.erase(user: "never written to")
      do {
        // A storage that was reopened does not know that the user was erased.
        try storage.read(user: "p") { reading in
          try expect(try reading.entry(kind: "event", id: "e"), nil)
          try expect(try reading.entries(after: 0, limit: 9).count, 0)
        }
      } catch HubStorageError.erased(let user) {
        try expect(user, "p")
      }
      try storage.read(user: "q") { try expect(try $0.entries(after: 0, limit: 9).count, 1) }
    },
  ]
}
