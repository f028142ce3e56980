import CommandSupport
import Foundation
import HubContainer
import TrendyHub
import TrendyModels

/// `trendyd user`, `trendyd token` and `trendyd pair`: who may come in.
struct HubPeople {
  let hub: HubContainer
  let arguments: Arguments
  let console: Console

  /// The person of `--name`, or the only one.
  /// - Parameter use: the command that would say whose.
  func person(for use: String) throws -> HubPerson {
    let people = try hub.accounts.people()
    if let name = arguments.value("--name") {
      guard let named = people.first(where: { $0.name.lowercased() == name.lowercased() }) else {
        throw CommandError(
          "Nobody at this hub is called '\(name)'",
          hint: "There are: \(people.map(\.name).joined(separator: ", ")).", exit: .notFound)
      }
      return named
    }
    guard people.count == 1 else {
      throw CommandError(
        "This hub has \(people.count) persons", hint: "Say whose device it is: \(use) --name NAME", exit: .usage)
    }
    return people[0]
  }

  func addUser(_ name: String) throws -> ExitCode {
    let person = try hub.accounts.createPerson(name: name)
    if console.isJSON {
      console.document("trendyd.user/1", [("id", .string(person.id)), ("name", .string(person.name))])
    }
    console.done("\(person.name) has a record at this hub.")
    console.done("A device of theirs:  trendyd pair --name '\(person.name)'")
    return .done
  }

  /// Shuts a person's devices out; with `--erase`, takes away all that the hub keeps of them.
  func removeUser(_ name: String) throws -> ExitCode {
    let accounts = hub.accounts
    // One who was removed before may still be erased.
    let person = try find(name, among: accounts.people() + (arguments.has("--erase") ? accounts.removedPeople() : []))
    let isErasing = arguments.has("--erase")
    guard !isErasing || arguments.has("--yes") else {
      throw CommandError(
        "Everything that this hub keeps of \(person.name) would be gone for good",
        hint: "Say --yes if that is meant. Their devices keep what they hold, and so does every backup of the hub.",
        exit: .usage)
    }
    try accounts.remove(person: person.id, isErasing: isErasing)
    let isErased = try isErasing && hub.eraseUnlessServed()
    if console.isJSON {
      console.document(
        "trendyd.user/1",
        [
          ("id", .string(person.id)), ("name", .string(person.name)), ("removed", .bool(true)),
          ("erased", .bool(isErased)),
        ])
    }
    switch (isErasing, isErased) {
    case (false, _):
      console.done("No device of \(person.name) comes in any more. What they recorded is kept.")
      console.done(
        "Back in:  trendyd user restore '\(person.name)'    Away for good:  trendyd user rm '\(person.name)' --erase")
    case (true, true):
      console.done("Everything of \(person.name) is erased. Their devices keep what they hold, and so do backups.")
    case (true, false):
      console.done(
        "No device of \(person.name) comes in any more. The hub that runs erases everything within a minute.")
    }
    return .done
  }

  func restoreUser(_ name: String) throws -> ExitCode {
    let person = try find(name, among: hub.accounts.removedPeople())
    try hub.accounts.restore(person: person.id)
    if console.isJSON {
      console.document(
        "trendyd.user/1", [("id", .string(person.id)), ("name", .string(person.name)), ("removed", .bool(false))])
    }
    console.done("\(person.name) is back, with all that was kept. Their devices pair anew:")
    console.done("trendyd pair --name '\(person.name)'")
    return .done
  }

  /// By name or id.
  private func find(_ name: String, among people: [HubPerson]) throws -> HubPerson {
    let found = people.filter { $0.id == name || $0.name.lowercased() == name.lowercased() }
    guard found.count == 1 else {
      throw CommandError(
        found.isEmpty ? "There is nobody called '\(name)' here" : "\(found.count) persons were called '\(name)'",
        hint: found.isEmpty
          ? "trendyd user list shows who there is." : "Their ids: \(found.map(\.id).joined(separator: ", "))",
        exit: .notFound)
    }
    return found[0]
  }

  func listUsers() throws -> ExitCode {
    let people = try hub.accounts.people() + hub.accounts.removedPeople()
    let devices = try hub.accounts.devices()
    if console.isJSON {
      console.document(
        "trendyd.users/1",
        [
          (
            "users",
            .array(
              people.map { person in
                .object([
                  ("id", .string(person.id)), ("name", .string(person.name)),
                  ("created_at", .string(RFC3339.string(from: person.createdAt))),
                  ("devices", .number(devices.count { $0.person == person.id && $0.revokedAt == nil })),
                  ("removed_at", .string(person.removedAt.map { RFC3339.string(from: $0) })),
                  ("erasing", .bool(person.isErasing)),
                ])
              })
          )
        ])
    }
    for person in people {
      let count = devices.count { $0.person == person.id && $0.revokedAt == nil }
      let end = person.removedAt.map { "  removed \(day($0))\(person.isErasing ? ", being erased" : "")" } ?? ""
      console.text("\(person.name)  \(count) device\(count == 1 ? "" : "s")  since \(day(person.createdAt))\(end)")
    }
    return .done
  }

  func createToken(for device: String) throws -> ExitCode {
    let person = try person(for: "trendyd token create NAME")
    let made = try hub.accounts.createToken(person: person.id, deviceName: device)
    if console.isJSON {
      console.document(
        "trendyd.token/1",
        [("id", .string(made.device.id)), ("name", .string(device)), ("token", .string(made.token))])
    } else {
      console.data(made.token)
      console.talk("The token of \(device), a device of \(person.name): it is shown this once.")
    }
    return .done
  }

  func listTokens() throws -> ExitCode {
    let people = try hub.accounts.people() + hub.accounts.removedPeople()
    let names = Dictionary(people.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
    let devices = try hub.accounts.devices(person: arguments.has("--name") ? person(for: "").id : nil)
    if console.isJSON {
      console.document("trendyd.tokens/1", [("tokens", .array(devices.map { json($0, names) }))])
    }
    if devices.isEmpty { console.text("No device has a token yet: trendyd pair") }
    for device in devices {
      let end = device.revokedAt.map { "revoked \(day($0))" } ?? "good"
      console.text(
        "\(device.id)  \(device.name)  \(names[device.person] ?? "nobody")  since \(day(device.createdAt))  \(end)")
    }
    return .done
  }

  /// Ends the token of a device, told by its id, the beginning of it, or its name.
  func revokeToken(_ name: String) throws -> ExitCode {
    let devices = try hub.accounts.devices()
    var found = devices.filter { $0.id == name || (!name.isEmpty && $0.id.hasPrefix(name)) }
    if found.isEmpty {
      found = devices.filter { $0.revokedAt == nil && $0.name.lowercased() == name.lowercased() }
    }
    guard found.count == 1 else {
      throw CommandError(
        found.isEmpty ? "No device of this hub is '\(name)'" : "'\(name)' names \(found.count) devices",
        hint: "trendyd token list shows them with their ids.", exit: .notFound)
    }
    try hub.accounts.revoke(deviceId: found[0].id)
    if console.isJSON { console.document("trendyd.token/1", [("id", .string(found[0].id)), ("revoked", .bool(true))]) }
    console.done(
      "The token of \(found[0].name) is no longer good. What waits on it is not lost: it can be paired again.")
    return .done
  }

  private func json(_ device: HubDevice, _ names: [String: String]) -> JSONText {
    .object([
      ("id", .string(device.id)), ("name", .string(device.name)), ("person", .string(names[device.person])),
      ("created_at", .string(RFC3339.string(from: device.createdAt))),
      ("revoked_at", .string(device.revokedAt.map { RFC3339.string(from: $0) })),
    ])
  }

  private func day(_ date: Date) -> String { String(RFC3339.string(from: date).prefix(10)) }
}
