// What the server inspected since it started, for whoever may read its metrics.

import * as api from "./api.js";
import { made } from "./marks.js";
import { several } from "./words.js";

const element = (id) => document.getElementById(id);

/** The caller's account; an admin has none, and sees the table. */
export async function accountOf(policy, epsilon) {
  try {
    const told = await api.account(policy, epsilon);
    show(told.sees_inspections);
    return told;
  } catch (error) {
    if (error.code === "admin_key") show(true);
    throw error;
  }
}

async function show(sees) {
  const told = sees ? await api.inspected().catch(() => null) : null;
  element("inspected").hidden = !told?.policies.length;
  if (element("inspected").hidden) return;
  const values = (found) => Object.entries(found).map(([kind, count]) => `${count} ${kind}`).join(", ") || (told.counts ? "none" : "not counted");
  element("inspected-words").textContent = `Since the server started, textveil ${told.version}: ${told.refused} refused. ${told.counts ? "Counts are data about the texts." : "Counts by kind go to each client alone."}`;
  element("inspected-rows").replaceChildren(...told.policies.map((row) => made("tr", {},
    made("td", {}, row.policy), made("td", {}, row.digest.slice(0, 16)), made("td", { class: "number" }, several(row.requests, "request")), made("td", {}, values(row.values)))));
}
