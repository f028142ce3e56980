import CommandSupport
import TrendyHub

struct PeopleLookup {
  let accounts: HubAccounts

  /// Returns all active and removed users.
  func everyone() throws -> [HubUser] { try accounts.users() + accounts.removedPeople() }

  func names() throws -> [String: String] {
    Dictionary(try everyone().map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
  }

  /// Returns the active user with the given name, ignoring case.
  func user(called name: String) throws -> HubUser {
    let users = try accounts.users()
    guard let named = users.first(where: { $0.name.lowercased() == name.lowercased() }) else {
      throw CommandError(
        "User '\(name)' not found",
        hint: "Users: \(users.map(\.name).joined(separator: ", ")).", exit: .notFound)
    }
    return named
  }

  /// Returns the hub's only active user. If there are several users, the error suggests the command line `use`.
  func onlyPerson(for use: String) throws -> HubUser {
    let users = try accounts.users()
    guard users.count == 1 else {
      throw CommandError(
        "This hub has \(users.count) users", hint: "Choose one: \(use) --name NAME", exit: .usage)
    }
    return users[0]
  }

  /// Returns the only one of the given users with this id or, ignoring case, this name.
  func user(_ word: String, among users: [HubUser]) throws(CommandError) -> HubUser {
    let found = users.filter { $0.id == word || $0.name.lowercased() == word.lowercased() }
    guard found.count == 1 else {
      throw CommandError(
        found.isEmpty ? "User '\(word)' not found" : "\(found.count) users are named '\(word)'",
        hint: found.isEmpty
          ? "List users: trendyd user list" : "Use one of the ids: \(found.map(\.id).joined(separator: ", "))",
        exit: .notFound)
    }
    return found[0]
  }
}

extension HubUser {
  var members: [(String, JSONText)] { [("id", .string(id)), ("name", .string(name))] }
}
