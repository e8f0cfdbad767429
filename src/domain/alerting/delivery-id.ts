/** What every webhook of an alert channel carries, the same for each attempt of one delivery (behaviour 2.7). Users cannot take it away. */
export const deliveryIdHeader = "x-service-delivery-id";
