import Foundation
import TrendyPersistence
import TrendySync

/// Opens the store that an app shares with its extensions. `group` is the folder of the app group.
func sharedStores(in group: URL, mode: StoreMode = .createIfMissing) throws -> DefaultDataStoreFactory {
  try DefaultDataStoreFactory(directory: group.appending(path: "Trendy"), mode: mode)
}

/// Returns the number of coffees in a period, for the timeline of a widget.
func coffees(in period: Range<Date>, group: URL) throws -> Int {
  let store = try sharedStores(in: group, mode: .readOnly).makeDataStore()
  return try store.events(in: period, ofType: "coffee", limit: nil).count
}

/// Records a coffee, for a button in a widget. Until the app has created the type, the button has no effect.
func drinkCoffee(group: URL) throws {
  let stores = try sharedStores(in: group, mode: .mustExist)
  guard let coffee = try stores.makeDataStore().findEventType(id: "coffee") else { return }
  try Recorder(dataStoreFactory: stores).log(coffee)
}
